import type { SettingOption, SettingValue } from '@tributary/contract'
import { isRecord } from '@tributary/kernel/record'
import { isShown } from '../../lib/settings/setting-values.ts'
import { Field } from '../../ui/forms/field.tsx'
import { useField, useForm } from '../../ui/forms/form.tsx'
import { useFormState } from '../../ui/forms/form-state.ts'
import { shownHint } from './setting-hint.tsx'
import { SettingInput } from './setting-input.tsx'

/** The settings in the values of a form. */
const settingsOf = (values: Readonly<Record<string, unknown>>): Record<string, SettingValue> =>
  isRecord(values.settings) ? (values.settings as Record<string, SettingValue>) : {}

const SettingField = ({ option }: { option: SettingOption }) => {
  const { error, change, ref } = useField(`settings.${option.name}`)
  const value = useFormState(useForm(), ({ values }) => settingsOf(values)[option.name] ?? null)
  return (
    <Field label={option.display_name} required={option.required} hint={shownHint(option)} error={error}>
      {(control) => <SettingInput option={option} control={control} value={value} onChange={change} inputRef={ref} />}
    </Field>
  )
}

/** The setting fields of a new object, inside a Form whose values contain `settings`. */
export const SettingFields = ({ options }: { options: readonly SettingOption[] }) => {
  const settings = useFormState(useForm(), ({ values }) => settingsOf(values))
  return options
    .filter((option) => isShown(option, settings))
    .map((option) => <SettingField key={option.name} option={option} />)
}
