import type { Setting, SettingValue } from '@tributary/contract'
import { type ReactNode, useState } from 'react'
import { settingFailure } from '../lib/setting-failure.ts'
import { isEmptySetting, isShown, settingProblem } from '../lib/setting-values.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { shownHint } from './setting-hint.tsx'
import { SettingInput } from './setting-input.tsx'

const initialValue = (setting: Setting): SettingValue =>
  setting.value ?? (setting.is_secret ? '' : (setting.default ?? ''))

type Save = (change: { name: string; value: SettingValue }) => Promise<unknown>

/** What else stands below a setting while it is edited, and a way to change what is being edited. */
type Below = (setting: Setting, draft: SettingValue, change: (value: SettingValue) => void) => ReactNode

/** One setting that is saved by itself: switches and lists at once, the rest by its button. */
const SettingRow = ({
  setting,
  mayEdit,
  onSave,
  below,
}: {
  setting: Setting
  mayEdit: boolean
  onSave: Save
  below: Below | undefined
}) => {
  const saved = initialValue(setting)
  const [draft, setDraft] = useState<SettingValue>(saved)
  const [problem, setProblem] = useState<string | undefined>()
  const [saving, setSaving] = useState(false)
  // A secret is not shown again once it is saved: its input starts anew.
  const [saves, setSaves] = useState(0)
  const locked = !mayEdit || (!setting.editable && !isEmptySetting(setting.value))
  const immediate = setting.type === 'boolean' || setting.type === 'select'
  const changed = JSON.stringify(draft) !== JSON.stringify(saved)
  const save = async (value: SettingValue): Promise<void> => {
    const found = settingProblem(setting, value)
    setProblem(found)
    if (found !== undefined) return
    setSaving(true)
    try {
      await onSave({ name: setting.name, value: isEmptySetting(value) ? null : value })
      setSaves((count) => count + 1)
      if (setting.is_secret) setDraft('')
    } catch (error) {
      setProblem(settingFailure(error, setting.name))
      if (immediate) setDraft(saved)
    } finally {
      setSaving(false)
    }
  }
  const change = (value: SettingValue): void => {
    setDraft(value)
    setProblem(undefined)
    if (immediate) void save(value)
  }
  return (
    <form
      noValidate
      className="space-y-3 px-5 py-4"
      onSubmit={(event) => {
        event.preventDefault()
        void save(draft)
      }}
    >
      <Field
        label={setting.display_name}
        required={setting.required}
        hint={shownHint(setting)}
        error={problem}
        errorAsCode={setting.type === 'template'}
      >
        {(control) => (
          <SettingInput
            key={saves}
            option={setting}
            control={control}
            value={draft}
            onChange={change}
            disabled={locked || saving}
            isSet={setting.is_set}
          />
        )}
      </Field>
      {setting.is_secret && setting.is_set && !setting.required && !changed && !locked && (
        <Button size="sm" loading={saving} onClick={() => void save(null)}>
          Remove
        </Button>
      )}
      {!immediate && changed && !locked && (
        <div className="flex justify-end gap-2">
          <Button
            onClick={() => {
              setDraft(saved)
              setProblem(undefined)
            }}
          >
            Discard
          </Button>
          <Button type="submit" variant="primary" loading={saving}>
            Save
          </Button>
        </div>
      )}
      {below?.(setting, draft, change)}
    </form>
  )
}

/** The settings of one source or destination, each saved by itself. */
export const SettingsCard = ({
  description,
  settings,
  mayEdit,
  onSave,
  below,
}: {
  description: string
  settings: readonly Setting[]
  mayEdit: boolean
  /** Saves one setting; null takes it back to its default. Its refusal is shown below the setting. */
  onSave: Save
  below?: Below
}) => {
  const values = Object.fromEntries(settings.map((setting) => [setting.name, setting.value ?? setting.default]))
  return (
    <section aria-label="Settings" className="rounded-lg border border-line bg-surface shadow-card">
      <header className="px-5 pt-4 pb-1">
        <h2 className="text-base font-semibold">Settings</h2>
        <p className="mt-0.5 text-sm text-ink-2">{description}</p>
      </header>
      <div className="divide-y divide-line">
        {settings
          .filter((setting) => isShown(setting, values))
          .map((setting) => (
            <SettingRow
              key={`${setting.name} ${JSON.stringify(setting.value)} ${setting.is_set}`}
              setting={setting}
              mayEdit={mayEdit}
              onSave={onSave}
              below={below}
            />
          ))}
      </div>
    </section>
  )
}
