import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { datasetProblem, projectProblem } from '../../wire/bigquery/names.ts'
import { accountIn, keyProblem } from '../../wire/bigquery/service-account.ts'

/** The settings of the form. */
export const settings = defineSettings({
  project: setting.text({
    label: 'Project ID',
    help: 'The Google Cloud project that runs the queries and is billed for them. Its tables are listed.',
    required: true,
    maxLength: 100,
  }),
  dataset: setting.text({
    label: 'Default dataset',
    help: 'The dataset of tables that a query names without one. Can be empty.',
    maxLength: 1024,
  }),
  max_gigabytes: setting.number({
    label: 'Maximum GB per query',
    help: 'A query that would read more is refused and costs nothing. 1 GB is 1024³ bytes.',
    default: 100,
    min: 1,
    max: 1_000_000,
  }),
  service_account_key: setting.secret({
    label: 'Service account key',
    help: 'What is in the JSON key file of a service account that can read the tables. Stored encrypted.',
    required: true,
    maxLength: 8000,
    // The key signs requests for tokens and is never sent. Tokens go to Google's own addresses.
    sentTo: [],
  }),
})

export type BigQuerySettings = SettingsOf<typeof settings>

/** Checks rules that the setting types do not include. */
export const check = ({
  project,
  dataset,
  service_account_key: key,
}: Partial<BigQuerySettings>): Record<string, string> => ({
  ...projectProblem(project),
  ...datasetProblem(dataset),
  ...(key === undefined || accountIn(key) !== undefined ? {} : { service_account_key: keyProblem }),
})
