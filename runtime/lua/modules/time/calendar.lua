-- The Gregorian calendar, proleptic, as arithmetic on whole days since 1970.
local _, T = ...

-- Days since 1970 of a date of the Gregorian calendar (any month or day number: the rest carries over).
local function days_of(year, month, day)
  year = year + (month - 1) // 12
  month = (month - 1) % 12 + 1
  if month <= 2 then
    year = year - 1
  end
  local era = year // 400
  local year_of_era = year - era * 400
  local shifted = (month + 9) % 12
  local day_of_year = (153 * shifted + 2) // 5
  local day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
  return era * 146097 + day_of_era - 719468 + day - 1
end

local function date_of(days)
  days = days + 719468
  local era = days // 146097
  local day_of_era = days - era * 146097
  local year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
  local day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
  local shifted = (5 * day_of_year + 2) // 153
  local day = day_of_year - (153 * shifted + 2) // 5 + 1
  local month = shifted < 10 and shifted + 3 or shifted - 9
  local year = year_of_era + era * 400 + (month <= 2 and 1 or 0)
  return year, month, day
end

T.days_of, T.date_of = days_of, date_of
