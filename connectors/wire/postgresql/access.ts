import { databaseProblems, databaseSettings } from '../access/access.ts'
import { identifierBytes, isIdentifier } from './identifiers.ts'

/** The settings of the database and the account; `database` is the help text of that field in the form. */
export const accessSettings = ({ database }: { database: string }) =>
  databaseSettings({ database, port: 5432, longest: { database: identifierBytes, user: identifierBytes } })

/** Rules that the type of a field does not say; `names` are the settings that hold identifiers. */
export const accessProblems = (
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, string> =>
  databaseProblems(given, names, { isName: isIdentifier, words: 'At most 63 bytes, without NUL characters' })
