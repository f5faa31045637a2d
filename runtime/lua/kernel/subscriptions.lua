-- Messages to a task: each goes to the channel that subscribed to its topic, else (for topics without `@`) to the
-- inbox, else it waits, in order, for the subscription that takes it. Nothing is dropped: a mailbox that
-- overflows ends its task. A topic that a task has listened to and does no more is one that it does not want:
-- what still comes is dropped, and does not surprise the inbox.
local K = ...
local raw = K.raw
local sub, next = raw.string.sub, raw.next

local INBOX = "@pid/inbox"

local new_message, message_of
new_message, message_of = K.define_class("process.Message", {
  methods = {
    topic = function(self)
      return message_of(self).topic
    end,
    from = function(self)
      return message_of(self).sender
    end,
    payload = function(self)
      local state = message_of(self)
      local value = K.payload_value(state.payloads, state.length)
      local library = K.modules.payload
      return library and library.new and library.new(value) or value
    end,
  },
})

-- One payload is that value, several are a list.
function K.payload_value(payloads, length)
  if length == 1 then
    return payloads[1]
  elseif length == 0 then
    return nil
  end
  return payloads
end

local function make_value(maker, message)
  if maker == true then
    return new_message(message)
  elseif not maker then
    return K.payload_value(message.payloads, message.length)
  end
  return maker(message.topic, message.sender, message.payloads, message.length)
end

local function find(task, topic)
  local subscription = task.subscriptions[topic]
  if subscription or sub(topic, 1, 1) == "@" then
    return subscription
  end
  return task.subscriptions[INBOX]
end

local function feed(task, subscription, message)
  if not K.channel_feed(subscription.channel, make_value(subscription.maker, message)) then
    K.end_task(task, nil, K.error("Unavailable", "mailbox of `" .. task.id .. "` is full: receive what is sent"))
  end
end

function K.deliver(task, message)
  if task.unwanted[message.topic] then
    return
  end
  local subscription = find(task, message.topic)
  if subscription then
    return feed(task, subscription, message)
  end
  local mail = task.mail
  if #mail >= K.MAX_MAIL then
    return K.end_task(task, nil, K.error("Unavailable", "mailbox of `" .. task.id .. "` is full: receive what is sent"))
  end
  mail = K.own(task, "mail")
  mail[#mail + 1] = message
end

local function pending(task, topic, kind)
  local subscription = task.subscriptions[topic]
  if subscription then
    for _, value in raw.ipairs(K.channel_waiting(subscription.channel)) do
      if value.kind == kind then
        return value
      end
    end
  end
  for _, message in raw.ipairs(task.mail) do
    if message.topic == topic and message.payloads[1].kind == kind then
      return message.payloads[1]
    end
  end
end

-- Adds the sources of an event of the host to those of one of its kind that the task has not received yet; false
-- where there is none.
function K.join_event(task, topic, event)
  local known = event.sources and pending(task, topic, event.kind)
  if not known then
    return false
  end
  local seen = {}
  for _, source in raw.ipairs(known.sources) do
    seen[source] = true
  end
  for _, source in raw.ipairs(event.sources) do
    if not seen[source] then
      known.sources[#known.sources + 1] = source
    end
  end
  raw.table.sort(known.sources)
  return true
end

-- Returns the channel that is fed with the messages of `topic`; the same one when the topic has one. `maker` is
-- nil for the bare payload, true for a Message, or a function(topic, sender, payloads, length) -> value.
function K.subscribe(task, topic, capacity, maker)
  local known = task.subscriptions[topic]
  if known then
    return known.channel
  end
  local subscription = { channel = K.new_channel(capacity or 1), maker = maker }
  K.own(task, "subscriptions")[topic] = subscription
  if task.unwanted[topic] then
    task.unwanted[topic] = nil
  end
  task.pending = task.pending + 1
  local mail, kept = task.mail, {}
  if #mail == 0 then
    return subscription.channel
  end
  task.mail = kept
  for index = 1, #mail do
    if find(task, mail[index].topic) == subscription then
      feed(task, subscription, mail[index])
    else
      kept[#kept + 1] = mail[index]
    end
  end
  return subscription.channel
end

-- Ends a subscription and closes its channel; false when the channel is none of a subscription.
function K.unsubscribe(task, channel)
  for topic, subscription in next, task.subscriptions do
    if subscription.channel == channel then
      task.subscriptions[topic], K.own(task, "unwanted")[topic] = nil, true
      task.pending = task.pending - 1
      K.channel_end(channel)
      return true
    end
  end
  return false
end

-- What was sent to a task and not received, in the order of each topic.
function K.unread(task)
  local mail = K.own(task, "mail")
  for topic, subscription in next, task.subscriptions do
    for _, value in raw.ipairs(K.channel_waiting(subscription.channel)) do
      local message = message_of(value)
      mail[#mail + 1] = message or { topic = topic, sender = "", payloads = { value }, length = 1 }
    end
  end
  return mail
end

function K.release_subscriptions(task)
  task.subscriptions = {}
end
