import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { accessProblems, accessSettings } from '../../wire/redshift/access.ts'
import { bucketProblems, endpointSettings } from '../../wire/s3/settings.ts'
import {
  everySetting,
  loadChoices,
  loadProblems,
  loadTexts,
  stageBatching,
} from '../../wire/warehouse/load-settings.ts'

const { tls, ca_certificate, ...address } = accessSettings({ database: 'The database to load events to.' })

/** The settings of the form. */
export const settings = defineSettings({
  ...address,
  schema: setting.text({
    label: 'Schema',
    help: 'Tables are created here. The schema is created if the user has permission. It can’t be changed later, because the loaded events would stay behind.',
    required: true,
    editable: false,
    default: 'tributary',
    maxLength: 127,
  }),
  tls,
  ca_certificate,
  ...everySetting('5'),
  load_minutes: setting.choice({
    ...loadTexts,
    required: true,
    default: 'usual',
    choices: [{ value: 'usual', label: '5 minutes, or an hour for Redshift Serverless' }, ...loadChoices],
  }),
  bucket: setting.text({
    label: 'S3 bucket',
    help: 'Optional. With it, events are staged by COPY, which is faster. Each object is deleted when it has been copied.',
    maxLength: 63,
  }),
  region: setting.text({ label: 'Region of the bucket', help: 'Such as eu-central-1.', maxLength: 63 }),
  prefix: setting.text({
    label: 'Prefix',
    help: 'Objects are written below it.',
    default: 'tributary',
    maxLength: 200,
  }),
  access_key_id: setting.text({
    label: 'Access key ID',
    help: 'From a user that can write, read, and delete objects below the prefix.',
    maxLength: 128,
  }),
  secret_access_key: setting.secret({
    label: 'Secret access key',
    help: 'Stored encrypted. Without an IAM role, it is also sent to the cluster, in each COPY.',
    maxLength: 255,
    // These settings decide who gets the key: the storage, and, without a role, the cluster.
    sentTo: [
      { setting: 'endpoint', by: 'origin' },
      ...(['host', 'port', 'tls', 'ca_certificate', 'copy_role'] as const).map(
        (name) => ({ setting: name, by: 'value' }) as const,
      ),
    ],
  }),
  copy_role: setting.text({
    label: 'IAM role of the cluster',
    help: 'Optional. The ARN of a role with which the cluster reads the bucket, so that the secret key is never sent to it.',
    maxLength: 2048,
  }),
  ...endpointSettings,
})

export type RedshiftSettings = SettingsOf<typeof settings>

/** Whether the address is that of Redshift Serverless, which bills the time that statements run. */
export const isServerless = ({ host }: Pick<RedshiftSettings, 'host'>): boolean =>
  /\.redshift-serverless\.amazonaws\.com(?:\.cn)?$/i.test(host)

/** Returns the minutes between two loads. */
export const minutesOf = (given: Pick<RedshiftSettings, 'host' | 'load_minutes'>): number => {
  if (given.load_minutes !== 'usual') return Number(given.load_minutes)
  return isServerless(given) ? 60 : 5
}

/** Returns how many events are staged at a time. */
export const batchingOf = (given: Pick<RedshiftSettings, 'host' | 'load_minutes'>) =>
  stageBatching(String(minutesOf(given)), isServerless(given))

const arn = /^arn:aws[a-z-]{0,20}:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/

/** A role, or several with commas, of which each one assumes the next. */
const isRole = (text: string): boolean => text === 'default' || text.split(',').every((each) => arn.test(each))

const bucketMissing = (given: Partial<RedshiftSettings>): Record<string, string> =>
  Object.fromEntries(
    (['region', 'access_key_id'] as const)
      .filter((name) => (given[name] ?? '') === '')
      .map((name) => [name, 'Required for a bucket']),
  )

/** Checks rules that the field types do not include. */
export const check = (given: Partial<RedshiftSettings>): Record<string, string> => ({
  ...loadProblems(given),
  ...accessProblems(given, ['database', 'user', 'schema']),
  ...(given.schema?.startsWith('pg_') === true ? { schema: 'Names that start with pg_ are reserved by Redshift' } : {}),
  ...(given.copy_role === undefined || isRole(given.copy_role)
    ? {}
    : { copy_role: 'Enter an ARN such as arn:aws:iam::123456789012:role/copy, or default' }),
  ...(given.bucket === undefined ? {} : { ...bucketProblems(given), ...bucketMissing(given) }),
})
