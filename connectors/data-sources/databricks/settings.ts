import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { workspaceProblems, workspaceSettings } from '../../wire/databricks/access.ts'

/** The settings of the form. */
export const settings = defineSettings({
  ...workspaceSettings({ catalog: 'The catalog of Unity Catalog whose tables are listed. Queries can name others.' }),
  max_seconds: setting.number({
    label: 'Maximum seconds per query',
    help: 'A query that takes longer is canceled in Databricks, because running time is billed.',
    min: 5,
    max: 86_400,
  }),
})

export type DatabricksSettings = SettingsOf<typeof settings>

/** Checks rules that the setting types do not include. */
export const check = (given: Partial<DatabricksSettings>): Record<string, string> => workspaceProblems(given)
