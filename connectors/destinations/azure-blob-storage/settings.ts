import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { prefixProblems, storageSettings } from '../../wire/storage/settings.ts'

// The account is a part of the address.
const sentTo = [
  { setting: 'account', by: 'value' },
  { setting: 'endpoint', by: 'origin' },
] as const

export const settings = defineSettings({
  account: setting.text({
    label: 'Storage account',
    help: 'Name of the storage account.',
    required: true,
    maxLength: 24,
  }),
  container: setting.text({ label: 'Container', help: 'Name of the container.', required: true, maxLength: 63 }),
  account_key: setting.secret({
    label: 'Account key',
    help: 'One of the two access keys of the storage account. Not needed with a SAS token. Stored encrypted.',
    maxLength: 255,
    sentTo,
  }),
  sas_token: setting.secret({
    label: 'SAS token',
    help: 'It is used instead of the account key, and can be limited to writing to one container. Stored encrypted.',
    maxLength: 1000,
    sentTo,
  }),
  ...storageSettings({ file: 'blob', top: 'the container' }),
  endpoint: setting.url({
    label: 'Endpoint',
    help: 'Leave empty for Azure. Otherwise, the URL of the blob service, such as that of Azure Government or an emulator.',
  }),
})

export type BlobSettings = SettingsOf<typeof settings>

/** Returns the parameters of a SAS token without the question mark before them. */
export const sasQuery = (token = ''): string => token.trim().replace(/^\?/, '')

const credentialProblems = (given: Partial<BlobSettings>): Record<string, string> => {
  const { account, container, account_key: key, sas_token: token } = given
  const query = sasQuery(token)
  const isToken = /^[\x21-\x7e]+$/.test(query) && !query.includes('#') && new URLSearchParams(query).has('sig')
  if (token !== undefined) return isToken ? {} : { sas_token: 'Paste the SAS token alone, which has sig= in it' }
  if (key?.includes(';') === true) return { account_key: 'Paste the key alone, not the connection string' }
  // Users who enter one setting at a time enter the credentials last.
  const isComplete = account !== undefined && container !== undefined
  return isComplete && key === undefined ? { account_key: 'Enter the account key or a SAS token' } : {}
}

/** Checks rules that the setting types do not include. */
export const check = (given: Partial<BlobSettings>): Record<string, string> => {
  const { account, container, endpoint, prefix } = given
  const problems = { ...credentialProblems(given), ...prefixProblems({ prefix }) }
  // "Storage account overview" and "Naming and referencing containers, blobs, and metadata".
  if (account !== undefined && !/^[a-z0-9]{3,24}$/.test(account))
    problems.account = 'Use 3 to 24 lowercase letters and digits'
  if (container !== undefined && !/^(?=.{3,63}$)[a-z0-9]+(?:-[a-z0-9]+)*$/.test(container))
    problems.container = 'Use 3 to 63 lowercase letters and digits, with single hyphens between them'
  if (endpoint !== undefined && new URL(endpoint).search !== '') problems.endpoint = 'Enter a URL without a query'
  return problems
}
