import type { Setting, SettingValue } from '@tributary/contract'
import { Field } from '../../ui/forms/field.tsx'
import { SettingInput } from './setting-input.tsx'

/** Inputs for the secrets that must be entered again, with the reason: the change would send them somewhere else. */
export const SecretsAgain = ({
  secrets,
  values,
  problems,
  disabled,
  onChange,
}: {
  secrets: readonly Setting[]
  values: Readonly<Record<string, SettingValue>>
  problems: Readonly<Record<string, string>>
  disabled: boolean
  onChange: (name: string, value: SettingValue) => void
}) => (
  <fieldset className="min-w-0 space-y-3 rounded-md border border-line px-4 pt-1 pb-3">
    <legend className="-ml-1 px-1 text-sm font-medium">Enter secrets again</legend>
    <p className="!mt-0 text-sm text-ink-2">
      This changes where secrets are sent. Enter them again for the new address.
    </p>
    {secrets.map((secret) => (
      <Field
        key={secret.name}
        label={`${secret.display_name} for the new address`}
        required
        hint={undefined}
        error={problems[secret.name]}
      >
        {(control) => (
          <SettingInput
            option={secret}
            control={control}
            value={values[secret.name] ?? null}
            onChange={(value) => onChange(secret.name, value)}
            disabled={disabled}
          />
        )}
      </Field>
    ))}
  </fieldset>
)
