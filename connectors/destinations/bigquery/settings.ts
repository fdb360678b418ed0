import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { datasetProblem, projectProblem } from '../../wire/bigquery/names.ts'
import { accountIn, keyProblem } from '../../wire/bigquery/service-account.ts'
import { everySetting, loadProblems } from '../../wire/warehouse/load-settings.ts'

/** The settings of the form. */
export const settings = defineSettings({
  project: setting.text({
    label: 'Project ID',
    help: 'The Google Cloud project of the dataset. It is billed for the queries of loads.',
    required: true,
    editable: false,
    maxLength: 100,
  }),
  dataset: setting.text({
    label: 'Dataset',
    help: 'The tables are created here. Use a dataset for this destination alone. It can’t be changed later, because the loaded events would stay behind.',
    required: true,
    editable: false,
    default: 'tributary',
    maxLength: 1024,
  }),
  service_account_key: setting.secret({
    label: 'Service account key',
    help: 'What is in the JSON key file of a service account that can edit the dataset. Stored encrypted.',
    required: true,
    maxLength: 8000,
    // The key signs requests for tokens and is never sent. Tokens go to Google's own addresses.
    sentTo: [],
  }),
  ...everySetting('60'),
})

export type BigQuerySettings = SettingsOf<typeof settings>

/** Checks rules that the setting types do not include. */
export const check = (given: Partial<BigQuerySettings>): Record<string, string> => ({
  ...projectProblem(given.project),
  ...datasetProblem(given.dataset),
  ...loadProblems(given),
  ...(given.service_account_key === undefined || accountIn(given.service_account_key) !== undefined
    ? {}
    : { service_account_key: keyProblem }),
})
