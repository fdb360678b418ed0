import { setting } from '@tributary/connector-kit'
import { privateKeyOf } from './private-key.ts'

const nameCharacters = 255

const domains = ['.snowflakecomputing.com', '.snowflakecomputing.cn']

/** An account: its host, and its name in tokens, where the region is left out. */
export type Account = { host: string; name: string }

/**
 * Returns the account of an identifier such as `myorg-account123` or `xy12345.eu-central-1`, or of the account's URL;
 * undefined for other texts. Hosts have hyphens where names have underscores
 * (docs.snowflake.com/en/user-guide/admin-account-identifier). The name in tokens is as in the vendor's example
 * (docs.snowflake.com/en/developer-guide/sql-api/authenticating, sql-api-generate-jwt.py).
 */
export const accountOf = (text: string): Account | undefined => {
  const lower = text.trim().toLowerCase()
  const isUrl = lower.startsWith('https://')
  const bare = (isUrl ? lower.slice('https://'.length) : lower).split('/', 1)[0] ?? ''
  const domain = domains.find((each) => bare.endsWith(each))
  const identifier = domain === undefined ? bare : bare.slice(0, -domain.length)
  if (!/^[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9][a-z0-9_-]*)*$/.test(identifier) || identifier.length > 200) return undefined
  if (isUrl && domain === undefined) return undefined
  const isGlobal = identifier.includes('.global')
  const name = identifier.split(isGlobal ? '-' : '.', 1)[0] ?? ''
  return { host: `${identifier.replaceAll('_', '-')}${domain ?? domains[0]}`, name: name.toUpperCase() }
}

/**
 * Returns the stored form of a name as it is written in SQL: upper case, unless it is in double quotes. The API does not
 * fold names (docs.snowflake.com/en/developer-guide/sql-api/submitting-requests).
 */
export const storedName = (text: string): string => {
  const name = text.trim()
  return name.length > 1 && name.startsWith('"') && name.endsWith('"')
    ? name.slice(1, -1).replaceAll('""', '"')
    : name.toUpperCase()
}

/** Returns a stored name as an identifier of a statement. */
export const quoted = (name: string): string => `"${name.replaceAll('\0', '').replaceAll('"', '""')}"`

/** Creates the settings of the account. The texts say what the role and the database are for. */
export const accountSettings = (help: { role: string; warehouse: string; database: string }) => ({
  account: setting.text({
    label: 'Account',
    help: 'The account identifier, such as myorg-account123, or the URL of the account.',
    required: true,
    maxLength: nameCharacters,
  }),
  user: setting.text({
    label: 'User',
    help: 'The login name. See the guide for the privileges it needs.',
    required: true,
    maxLength: nameCharacters,
  }),
  private_key: setting.secret({
    label: 'Private key',
    help: 'The whole text of an RSA key without a passphrase, in PEM form. Its public key belongs to the user. Stored encrypted.',
    required: true,
    maxLength: 20_000,
    // The key signs tokens and is never sent. A token is only valid for the account in it.
    sentTo: [{ setting: 'account', by: 'value' }],
  }),
  role: setting.text({ label: 'Role', help: help.role, required: true, maxLength: nameCharacters }),
  warehouse: setting.text({ label: 'Warehouse', help: help.warehouse, required: true, maxLength: nameCharacters }),
  database: setting.text({ label: 'Database', help: help.database, required: true, maxLength: nameCharacters }),
})

/** The data with which a client signs in. */
export type SnowflakeAccess = {
  readonly account: string
  readonly user: string
  readonly private_key: string
  readonly role: string
  readonly warehouse: string
  readonly database: string
}

/** Checks rules that the field types do not include. */
export const accountProblems = (given: Partial<SnowflakeAccess>): Record<string, string> => {
  const problems: Record<string, string> = {}
  const { account, private_key: key } = given
  if (account !== undefined && accountOf(account) === undefined)
    problems.account = 'Enter the account identifier, such as myorg-account123'
  const problem = key === undefined ? undefined : privateKeyOf(key).problem
  if (problem !== undefined) problems.private_key = problem
  for (const name of ['role', 'warehouse', 'database'] as const) {
    const value = given[name]
    if (value !== undefined && storedName(value) === '') problems[name] = 'Enter a name'
  }
  return problems
}
