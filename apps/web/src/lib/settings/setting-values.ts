import { isSameTarget, type Setting, type SettingOption, type SettingValue } from '@tributary/contract'
import { count } from '../format/text.ts'

/** True for a value that counts as empty: null, an empty text, or no headers. */
export const isEmptySetting = (value: SettingValue | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** Returns the initial values of a form for these settings. */
export const defaultSettings = (options: readonly SettingOption[]): Record<string, SettingValue> =>
  Object.fromEntries(
    options.map((option) => [
      option.name,
      option.default ?? (option.type === 'headers' ? {} : option.type === 'boolean' ? false : ''),
    ]),
  )

/** True if a setting applies: some settings apply only while another setting has a certain value. */
export const isShown = (
  option: Pick<SettingOption, 'show_when'>,
  values: Readonly<Record<string, SettingValue | undefined>>,
): boolean => option.show_when === null || values[option.show_when.name] === option.show_when.value

/** Returns the values to send. Settings that are empty or do not apply get their defaults. */
export const filledSettings = (
  options: readonly SettingOption[],
  values: Readonly<Record<string, SettingValue>>,
): Record<string, SettingValue> =>
  Object.fromEntries(
    options
      .filter((option) => isShown(option, values))
      .map(({ name }) => [name, values[name] ?? null] as const)
      .filter(([, value]) => !isEmptySetting(value)),
  )

const isWebAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  return ['http:', 'https:'].includes(new URL(text).protocol)
}

/** Returns the text below a setting: its help text and, for a number, its limits. */
export const settingHint = ({
  help_text,
  type,
  min,
  max,
}: Pick<SettingOption, 'help_text' | 'type' | 'min' | 'max'>): string | undefined => {
  const bounds =
    type !== 'number' || (min === null && max === null)
      ? ''
      : min === null
        ? `At most ${count(max ?? 0)}.`
        : max === null
          ? `At least ${count(min)}.`
          : `From ${count(min)} to ${count(max)}.`
  const hint = [help_text, bounds].filter((part) => part !== '').join(' ')
  return hint === '' ? undefined : hint
}

const numberProblem = (
  { min, max }: Pick<SettingOption, 'min' | 'max'>,
  value: SettingValue | undefined,
): string | undefined => {
  const number = Number(value)
  if (!Number.isFinite(number)) return 'Only numbers are allowed'
  if (min !== null && number < min) return `At least ${count(min)}`
  if (max !== null && number > max) return `At most ${count(max)}`
  return undefined
}

/**
 * Returns the reason why a value is invalid for a setting, or undefined. The server decides; this check avoids a call
 * that it would reject.
 */
export const settingProblem = (
  option: Pick<SettingOption, 'type' | 'required' | 'min' | 'max'>,
  value: SettingValue | undefined,
): string | undefined => {
  if (isEmptySetting(value)) return option.required ? 'Required' : undefined
  if (option.type === 'url' && !(typeof value === 'string' && isWebAddress(value))) return 'Invalid url'
  return option.type === 'number' ? numberProblem(option, value) : undefined
}

/**
 * Returns the stored secrets that another value of a setting would send to a different place: they must be entered
 * again before it is saved. The server decides; this check asks for them in time.
 */
export const secretsToEnterAgain = (
  settings: readonly Setting[],
  target: Pick<Setting, 'name' | 'value' | 'default'>,
  draft: SettingValue,
): Setting[] => {
  const before = target.value ?? target.default
  const after = isEmptySetting(draft) ? target.default : draft
  return settings.filter(
    ({ is_secret, is_set, sent_to }) =>
      is_secret && is_set && sent_to.some(({ name, by }) => name === target.name && !isSameTarget(by, before, after)),
  )
}

/** The notice for a saved setting, which names it. */
export const settingNotice = (
  { settings }: { settings: readonly { name: string; display_name: string }[] },
  name: string,
): { description?: string } => {
  const setting = settings.find((each) => each.name === name)
  return setting === undefined ? {} : { description: setting.display_name }
}
