/**
 * Returns the ID of the entered spreadsheet, from the ID itself or from its URL
 * (developers.google.com/workspace/sheets/api/guides/concepts: letters, numbers, hyphens, and underscores); undefined
 * for another text.
 */
export const spreadsheetId = (entered: string): string | undefined =>
  /^(?:https:\/\/docs\.google\.com\/spreadsheets\/(?:u\/\d+\/)?d\/)?([\w-]{20,200})(?:[/?#].*)?$/.exec(
    entered.trim(),
  )?.[1]

/** Returns the problem of an entered spreadsheet; undefined for a valid one. */
export const spreadsheetProblem = (entered: string | undefined): string | undefined =>
  entered === undefined || spreadsheetId(entered) !== undefined
    ? undefined
    : 'Enter the URL of a spreadsheet, such as https://docs.google.com/spreadsheets/d/…'
