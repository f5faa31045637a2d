-- An end that is asked for and not forced. Who listens to the topic of events hears of it and ends when it likes;
-- who does not is ended once it rests: it computes nothing, waits for no answer of the host, and waits for its next
-- message wherever it takes messages. So nothing that was accepted is lost, and who can not hear keeps nobody waiting.
local K = ...
local next = K.raw.next

local asked = {} -- name of a task -> what it is to hear, and with which error it ends

local function rests(task)
  if task.loading or task.ready > 0 or next(task.calls) ~= nil then
    return false
  end
  for _, subscription in next, task.subscriptions do
    if not K.channel_is_awaited(subscription.channel) then
      return false
    end
  end
  return true
end

-- Asks a task to end. One that is not `patient` is not waited for where it does not listen.
function K.retire(task, topic, event, err, patient)
  if not patient and not task.subscriptions[topic] then
    return K.end_task(task, nil, err)
  end
  asked[task.name] = { topic = topic, event = event, err = err }
end

-- Goes through those who were asked; returns whether somebody who was told is ready now.
function K.check_retired()
  local told = false
  for name, wish in next, asked do
    local task = K.tasks[name]
    if not task then
      asked[name] = nil
    elseif task.subscriptions[wish.topic] then
      asked[name], told = nil, true
      K.deliver(task, { topic = wish.topic, sender = "", payloads = { wish.event }, length = 1 })
    elseif rests(task) then
      asked[name] = nil
      K.end_task(task, nil, wish.err)
    end
  end
  return told
end
