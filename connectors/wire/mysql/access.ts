import { databaseProblems, databaseSettings } from '../access/access.ts'
import { identifierCharacters, isIdentifier } from './identifiers.ts'

/** Maximum characters of a user name: MySQL allows 32, MariaDB 80. */
const userCharacters = 80

/** Creates the settings of the database and the account; `database` is the help text of that field in the form. */
export const accessSettings = ({ database }: { database: string }) =>
  databaseSettings({ database, port: 3306, longest: { database: identifierCharacters, user: userCharacters } })

/** Checks rules that the field types do not include; `names` are the settings with identifiers. */
export const accessProblems = (
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, string> =>
  databaseProblems(given, names, {
    isName: isIdentifier,
    words: `At most ${identifierCharacters} characters, without emoji, NUL characters, or a space at the end`,
  })
