import type { FieldDefinition, Settings } from '@tributary/connector-kit'
import type { Setting, SettingOption } from '@tributary/contract'

/** The form field of a setting, as the API returns it. */
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

/** The settings of one instance as the API returns them, without secrets. */
export const presentSettings = (fields: readonly FieldDefinition[], settings: Settings): Setting[] =>
  fields.map((field) => {
    const value = settings[field.name]
    return { ...presentOption(field), value: field.secret ? null : (value ?? null), is_set: value !== undefined }
  })
