import { defineSettings, type SettingsOf, setting } from '@tributary/connector-kit'
import { databaseProblems, databaseSettings } from '../../wire/access/access.ts'
import { everySetting, loadProblems } from '../../wire/warehouse/load-settings.ts'

const nameCharacters = 200

const { database: _, ...access } = databaseSettings({
  database: '',
  port: 8443,
  longest: { database: nameCharacters, user: nameCharacters },
})

/** The settings of the form. */
export const settings = defineSettings({
  ...access,
  database: setting.text({
    label: 'Database',
    help: 'The tables are created here. Use a database for this destination alone. It can’t be changed later, because the loaded events would stay behind.',
    required: true,
    editable: false,
    default: 'tributary',
    maxLength: nameCharacters,
  }),
  ...everySetting('5'),
})

export type ClickhouseSettings = SettingsOf<typeof settings>

/** Checks rules that the field types do not include. */
export const check = (given: Partial<ClickhouseSettings>): Record<string, string> => ({
  ...loadProblems(given),
  ...databaseProblems(given, ['database'], {
    isName: (name) => name !== '' && name.length <= nameCharacters && !name.includes('\0'),
    words: `At most ${nameCharacters} characters, without NUL characters`,
  }),
})
