import { databaseProblems, databaseSettings } from '../access/access.ts'
import { identifierBytes, isIdentifier } from './identifiers.ts'

/** Creates the settings of the database and the account; `database` is the help text of that field in the form. */
export const accessSettings = ({ database }: { database: string }) =>
  databaseSettings({ database, port: 5439, longest: { database: identifierBytes, user: identifierBytes } })

/** Checks rules that the field types do not include; `names` are the settings with identifiers. */
export const accessProblems = (
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, string> =>
  databaseProblems(given, names, { isName: isIdentifier, words: 'At most 127 bytes, without quotation marks' })
