import type { FieldDefinition, Settings } from '@tributary/connector-kit'
import type { Setting, SettingOption } from '@tributary/contract'

/** Returns the form field of a setting in the form of the API. */
export const presentOption = (field: FieldDefinition): SettingOption => ({
  name: field.name,
  display_name: field.label,
  help_text: field.help,
  type: field.type,
  required: field.required,
  default: field.default ?? null,
  editable: field.editable,
  is_secret: field.secret,
  sent_to: (field.sentTo ?? []).map(({ setting, by }) => ({ name: setting, by })),
  choices: (field.choices ?? []).map(({ value, label }) => ({ value, title: label })),
  min: field.min ?? null,
  max: field.max ?? null,
  show_when: field.showWhen === undefined ? null : { name: field.showWhen.field, value: field.showWhen.value },
})

/** Returns the settings of one instance in the form of the API, without secrets. */
export const presentSettings = (fields: readonly FieldDefinition[], settings: Settings): Setting[] =>
  fields.map((field) => {
    const value = settings[field.name]
    return { ...presentOption(field), value: field.secret ? null : (value ?? null), is_set: value !== undefined }
  })
