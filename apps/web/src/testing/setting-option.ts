import type { SettingOption } from '@tributary/contract'

/** Returns an optional text setting, with the fields of `part`. */
export const settingOption = (part: Partial<SettingOption>): SettingOption => ({
  name: 'url',
  display_name: 'URL',
  help_text: '',
  type: 'string',
  required: false,
  default: null,
  editable: true,
  is_secret: false,
  sent_to: [],
  choices: [],
  min: null,
  max: null,
  show_when: null,
  ...part,
})
