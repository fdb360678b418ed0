/**
 * SQL for the reasons in the note of a delivered event: what it was sent without. Numbers of products and parameters, and
 * times of consents, are removed, so that their reasons are the same for all events. Sent values of the profile and of defaults are no such
 * reason. The engine searches in linear time.
 */
export const leftOutReasons = String.raw`arrayDistinct(arrayFilter(
  part -> part != '' and not match(part, '^and \\d+ more$|^values of the profile by |: the default .{1,40} is used$'),
  arrayMap(
    part -> replaceRegexpOne(
      replaceRegexpOne(part, '(^|: )\\d+ (?:of \\d+ )?(products|parameters|items):', '\\1\\2:'),
      '( the profile.s consent) of [-0-9T:.]+Z ', '\\1 '),
    splitByString('; ', replaceRegexpOne(reason, '(^|; )(?:Sent without |Not sent: )', '\\1')))))`
