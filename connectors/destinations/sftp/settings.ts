import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { prefixProblems, storageSettings } from '../../wire/storage/settings.ts'
import { fingerprintsOf, privateKeyOf } from './keys.ts'

// The fingerprint decides which server gets the secret.
const sentTo = (['host', 'port', 'fingerprint'] as const).map((name) => ({ setting: name, by: 'value' as const }))

export const settings = defineSettings({
  host: setting.text({ label: 'Host', help: 'Server name or address.', required: true, maxLength: 255 }),
  port: setting.number({ label: 'Port', help: 'Usually 22.', required: true, default: 22, min: 1, max: 65_535 }),
  fingerprint: setting.text({
    label: 'Fingerprint of the server',
    help: 'SHA256 of its host key, such as SHA256:+DiY3wvv… The connection test shows it if it is absent or differs.',
    maxLength: 500,
  }),
  user: setting.text({ label: 'User', help: 'It may write to the folder.', required: true, maxLength: 255 }),
  password: setting.secret({
    label: 'Password',
    help: 'Not needed with a private key. Stored encrypted.',
    maxLength: 1000,
    sentTo,
  }),
  private_key: setting.secret({
    label: 'Private key',
    help: 'Whole text of a key without a passphrase, in the form of OpenSSH. Stored encrypted.',
    maxLength: 20_000,
    sentTo,
  }),
  ...storageSettings({ file: 'file', top: 'the server' }),
  prefix: setting.text({
    label: 'Folder',
    help: 'Folder to write files to. It begins in the folder of the user, or with / at the top of the server.',
    default: 'events',
    maxLength: 500,
  }),
})

export type SftpSettings = SettingsOf<typeof settings>

/** Checks rules that the setting types do not include. */
export const check = (given: Partial<SftpSettings>): Record<string, string> => {
  const { host, user, fingerprint, password, private_key: key, prefix } = given
  const problems = prefixProblems({ prefix })
  if (fingerprint !== undefined && fingerprintsOf(fingerprint) === undefined)
    problems.fingerprint = 'Enter the fingerprint in the form SHA256: and 43 characters'
  const problem = key === undefined ? undefined : privateKeyOf(key).problem
  if (problem !== undefined) problems.private_key = problem
  // Users who enter one setting at a time enter the credentials last.
  const isComplete = host !== undefined && user !== undefined
  if (isComplete && password === undefined && key === undefined) problems.password = 'Enter a password or a private key'
  return problems
}
