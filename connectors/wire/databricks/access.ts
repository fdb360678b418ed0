import { setting } from '@tributary/connector-kit'

/**
 * The hosts of workspaces in the public and government clouds
 * (docs.databricks.com/aws/en/workspace/workspace-details, learn.microsoft.com/azure/databricks/workspace/workspace-details).
 */
const workspaceDomains = [
  'cloud.databricks.com',
  'gcp.databricks.com',
  'azuredatabricks.net',
  'databricks.azure.us',
  'databricks.azure.cn',
  'cloud.databricks.us',
  'cloud.databricks.mil',
]

const sentTo = [{ setting: 'host', by: 'value' }] as const

/** Creates the settings of the workspace and the account. `catalog` is the help text of that field in the form. */
export const workspaceSettings = ({ catalog }: { catalog: string }) => ({
  host: setting.text({
    label: 'Host',
    help: 'Server hostname of the workspace, such as dbc-a1b2345c-d6e7.cloud.databricks.com.',
    required: true,
    maxLength: 255,
  }),
  warehouse: setting.text({
    label: 'HTTP path',
    help: 'From the connection details of the SQL warehouse, such as /sql/1.0/warehouses/1234567890abcdef.',
    required: true,
    maxLength: 200,
  }),
  catalog: setting.text({ label: 'Catalog', help: catalog, required: true, maxLength: 255 }),
  sign_in: setting.choice({
    label: 'Sign-in',
    help: 'OAuth for a service principal is recommended: its tokens last one hour.',
    required: true,
    default: 'oauth',
    choices: [
      { value: 'oauth', label: 'OAuth (service principal)' },
      { value: 'token', label: 'Personal access token' },
    ],
  }),
  client_id: setting.text({
    label: 'Client ID',
    help: 'The application ID of the service principal.',
    maxLength: 200,
    showWhen: { field: 'sign_in', value: 'oauth' },
  }),
  client_secret: setting.secret({
    label: 'Client secret',
    help: 'An OAuth secret of the service principal. Stored encrypted.',
    maxLength: 500,
    showWhen: { field: 'sign_in', value: 'oauth' },
    sentTo,
  }),
  token: setting.secret({
    label: 'Access token',
    help: 'A personal access token that lasts long enough. Stored encrypted.',
    maxLength: 500,
    showWhen: { field: 'sign_in', value: 'token' },
    sentTo,
  }),
})

/** The data with which a client signs in. */
export type WorkspaceAccess = {
  readonly host: string
  readonly warehouse: string
  readonly catalog: string
  readonly sign_in: 'oauth' | 'token'
  readonly client_id?: string | undefined
  readonly client_secret?: string | undefined
  readonly token?: string | undefined
}

/** Returns the origin of the workspace of a host, with or without `https://`; undefined for any other host. */
export const workspaceOrigin = (host: string): string | undefined => {
  const name = host
    .trim()
    .toLowerCase()
    .replace(/^https:\/\//, '')
    .replace(/\/$/, '')
  const isWorkspace = workspaceDomains.some((domain) => name.endsWith(`.${domain}`))
  return isWorkspace && /^[a-z0-9.-]+$/.test(name) ? `https://${name}` : undefined
}

/** Returns the ID of the SQL warehouse of an HTTP path, or of the ID itself; undefined for any other text. */
export const warehouseId = (path: string): string | undefined =>
  /^(?:\/?sql\/1\.0\/(?:warehouses|endpoints)\/)?([0-9a-zA-Z]{8,64})$/.exec(path.trim())?.[1]

/** Checks rules that the setting types do not include. */
export const workspaceProblems = (given: Partial<WorkspaceAccess>): Record<string, string> => {
  const { host = '', warehouse = '', catalog = '', sign_in, client_id, client_secret, token } = given
  const problems: Record<string, string> = {}
  if (host !== '' && workspaceOrigin(host) === undefined)
    problems.host = 'Enter the host name of a Databricks workspace, without a path'
  if (warehouse !== '' && warehouseId(warehouse) === undefined)
    problems.warehouse = 'Enter the HTTP path of a SQL warehouse, such as /sql/1.0/warehouses/1234567890abcdef'
  if (catalog.includes('\0')) problems.catalog = 'Without NUL characters'
  // Users who enter one setting at a time enter the credentials last.
  if (host === '' || warehouse === '' || catalog === '') return problems
  if (sign_in === 'token' && token === undefined) problems.token = 'Required'
  if (sign_in === 'oauth' && client_id === undefined) problems.client_id = 'Required'
  if (sign_in === 'oauth' && client_secret === undefined) problems.client_secret = 'Required'
  // Both are sent in headers.
  for (const [name, value] of Object.entries({ client_id, client_secret, token }))
    if (value !== undefined && !/^[\x21-\x7e]+$/.test(value))
      problems[name] = 'Only characters of ASCII, without spaces'
  return problems
}
