import { z } from 'zod'
import { line, storableText } from '../api/fields.ts'

/** The control that shows and edits a setting. */
export const settingTypes = [
  'string',
  'url',
  'select',
  'boolean',
  'number',
  'headers',
  'secret',
  'template',
  'text-template',
  'sql',
] as const
export type SettingType = (typeof settingTypes)[number]

/** The value types of a setting. `headers` are an object of texts. The app decides which one is valid. */
export const settingValue = z.union([
  storableText(10_000),
  z.number(),
  z.boolean(),
  z.record(storableText(200), storableText(4000)),
  z.null(),
])
export type SettingValue = z.infer<typeof settingValue>

/** The part of a setting that is compared: the origin of a URL, or the whole value. */
export const secretTargetParts = ['origin', 'value'] as const

/** A setting that decides where a secret is sent, and the part of the setting that must stay the same. */
export type SecretTarget = { setting: string; by: (typeof secretTargetParts)[number] }

const targetPart = (by: SecretTarget['by'], value: SettingValue | undefined): string => {
  const text = JSON.stringify(typeof value === 'string' ? value.trim() : (value ?? ''))
  return by === 'origin' && typeof value === 'string' ? (URL.parse(value.trim())?.origin ?? text) : text
}

/** Whether two values of a setting send a secret to the same place. */
export const isSameTarget = (
  by: SecretTarget['by'],
  before: SettingValue | undefined,
  after: SettingValue | undefined,
): boolean => targetPart(by, before) === targetPart(by, after)

const isBlank = (value: SettingValue): boolean =>
  typeof value === 'string'
    ? value.trim() === ''
    : typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** The new value of a setting: not an empty text and not an empty object of headers. null restores the default. */
export const newSettingValue = settingValue.refine((value) => !isBlank(value), 'Required')

/** The declaration of a setting of an app. */
export const settingOption = z.object({
  name: z.string(),
  display_name: z.string(),
  help_text: z.string(),
  type: z.enum(settingTypes),
  required: z.boolean(),
  default: settingValue,
  editable: z.boolean(),
  /** Encrypted at rest and never returned. */
  is_secret: z.boolean(),
  /**
   * For a secret: the settings that decide where the secret is sent. If one of them changes, users must enter the
   * secret again.
   */
  sent_to: z.array(z.object({ name: z.string(), by: z.enum(secretTargetParts) })),
  choices: z.array(z.object({ value: z.string(), title: z.string() })),
  /** Minimum and maximum of a number, both inclusive; null for none. */
  min: z.number().nullable(),
  max: z.number().nullable(),
  /** The other setting and its value with which this setting is shown; null if it is always shown. */
  show_when: z.object({ name: z.string(), value: settingValue }).nullable(),
})
export type SettingOption = z.infer<typeof settingOption>

/** A setting with the value of one instance. A secret's value is always null; `is_set` says whether it has one. */
export const setting = settingOption.extend({ value: settingValue, is_set: z.boolean() })
export type Setting = z.infer<typeof setting>

/** The settings of a new instance, by name. */
export const settingsInput = z.record(line(100), settingValue)
