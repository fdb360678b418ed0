/**
 * The ID of the spreadsheet that people entered, whole or as its URL (developers.google.com/workspace/sheets/api/guides/concepts:
 * letters, numbers, hyphens, and underscores); undefined when it is neither.
 */
export const spreadsheetId = (entered: string): string | undefined =>
  /^(?:https:\/\/docs\.google\.com\/spreadsheets\/(?:u\/\d+\/)?d\/)?([\w-]{20,200})(?:[/?#].*)?$/.exec(
    entered.trim(),
  )?.[1]

/** What is wrong with a spreadsheet that people entered; undefined when nothing is. */
export const spreadsheetProblem = (entered: string | undefined): string | undefined =>
  entered === undefined || spreadsheetId(entered) !== undefined
    ? undefined
    : 'Enter the URL of a spreadsheet, such as https://docs.google.com/spreadsheets/d/…'
