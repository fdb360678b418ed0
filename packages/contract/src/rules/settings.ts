import { z } from 'zod'
import { line, storableText } from '../api/fields.ts'

/** How a setting is shown and edited. */
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

/** What a setting may hold. `headers` are an object of texts. Which of these fits is the app's business. */
export const settingValue = z.union([
  storableText(10_000),
  z.number(),
  z.boolean(),
  z.record(storableText(200), storableText(4000)),
  z.null(),
])
export type SettingValue = z.infer<typeof settingValue>

/** Of a URL its origin, of anything else its whole value. */
export const secretTargetParts = ['origin', 'value'] as const

/** A setting that decides where a secret is sent, and what of it has to stay the same. */
export type SecretTarget = { setting: string; by: (typeof secretTargetParts)[number] }

const targetPart = (by: SecretTarget['by'], value: SettingValue | undefined): string => {
  const text = JSON.stringify(typeof value === 'string' ? value.trim() : (value ?? ''))
  return by === 'origin' && typeof value === 'string' ? (URL.parse(value.trim())?.origin ?? text) : text
}

/** Whether a secret goes to the same place with either value of a setting that decides where it goes. */
export const isSameTarget = (
  by: SecretTarget['by'],
  before: SettingValue | undefined,
  after: SettingValue | undefined,
): boolean => targetPart(by, before) === targetPart(by, after)

const isBlank = (value: SettingValue): boolean =>
  typeof value === 'string'
    ? value.trim() === ''
    : typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** What a setting is changed to: never an empty text or no header at all. null takes it back to its default. */
export const newSettingValue = settingValue.refine((value) => !isBlank(value), 'Required')

/** A setting of an app: how to ask for it. */
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
  /** Of a secret: the settings that decide where it is sent. When one of them changes, it must be entered again. */
  sent_to: z.array(z.object({ name: z.string(), by: z.enum(secretTargetParts) })),
  choices: z.array(z.object({ value: z.string(), title: z.string() })),
  /** Bounds of a number, inclusive; null where there is none. */
  min: z.number().nullable(),
  max: z.number().nullable(),
  /** Shown only while another setting has this value. */
  show_when: z.object({ name: z.string(), value: settingValue }).nullable(),
})
export type SettingOption = z.infer<typeof settingOption>

/** A setting with the value of one instance. A secret's value is always null; `is_set` says whether it has one. */
export const setting = settingOption.extend({ value: settingValue, is_set: z.boolean() })
export type Setting = z.infer<typeof setting>

/** Settings as given at creation, by name. */
export const settingsInput = z.record(line(100), settingValue)
