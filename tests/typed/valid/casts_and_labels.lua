local i, found = 0, nil
::again::
i = i + 1
if i < 3 then goto again end
do
  local text = i :: number
  ::one:: ::two::
  found = text
  if found == 99 then goto one else goto done end
  goto two
end
::done::
return found == 3
