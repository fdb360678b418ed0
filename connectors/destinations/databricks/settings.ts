import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { workspaceProblems, workspaceSettings } from '../../wire/databricks/access.ts'
import { everySetting, loadProblems } from '../../wire/warehouse/load-settings.ts'

const { catalog: _, ...access } = workspaceSettings({ catalog: '' })

const stays = 'It can’t be changed later, because the loaded events would stay behind.'

/** The settings of the form. */
export const settings = defineSettings({
  ...access,
  catalog: setting.text({
    label: 'Catalog',
    help: `The catalog of Unity Catalog that has the schema. ${stays}`,
    required: true,
    editable: false,
    maxLength: 255,
  }),
  schema: setting.text({
    label: 'Schema',
    help: `The tables are created here. Use a schema for this destination alone. ${stays}`,
    required: true,
    editable: false,
    default: 'tributary',
    maxLength: 255,
  }),
  ...everySetting('60'),
})

export type DatabricksSettings = SettingsOf<typeof settings>

/** Names of Unity Catalog (docs.databricks.com/aws/en/sql/language-manual/sql-ref-names): also parts of a path here. */
const isName = (name: string): boolean => /^[^\s./\\:*?"<>|`'\p{Cc}]+$/u.test(name)

/** Checks rules that the setting types do not include. */
export const check = (given: Partial<DatabricksSettings>): Record<string, string> => {
  const problems = { ...workspaceProblems(given), ...loadProblems(given) }
  for (const name of ['catalog', 'schema'] as const)
    if (given[name] !== undefined && !isName(given[name])) problems[name] = 'Without spaces, dots, slashes, and quotes'
  return problems
}
