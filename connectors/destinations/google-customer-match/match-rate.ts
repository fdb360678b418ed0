import { isJsonObject } from '@tributary/connector-kit'

/** Returns the match rate of a list in percent; undefined if Google reports none ("ContactIdInfo"). */
export const matchRateOf = (list: Readonly<Record<string, unknown>>): number | undefined => {
  const info = isJsonObject(list['ingestedUserListInfo']) ? list['ingestedUserListInfo'] : {}
  const contacts = isJsonObject(info['contactIdInfo']) ? info['contactIdInfo'] : {}
  const rate = contacts['matchRatePercentage']
  return typeof rate === 'number' && rate > 0 ? rate : undefined
}
