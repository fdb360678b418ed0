import type { Setting, SettingValue } from '@tributary/contract'
import { type ReactNode, useState } from 'react'
import { type SettingFailure, settingFailure } from '../../lib/settings/setting-failure.ts'
import { isEmptySetting, isShown, secretsToEnterAgain, settingProblem } from '../../lib/settings/setting-values.ts'
import { useTemplateProblem } from '../../lib/settings/template-check.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { QueryEditor } from '../../ui/forms/query-editor.tsx'
import { SecretsAgain } from './secrets-again.tsx'
import { shownHint } from './setting-hint.tsx'
import { SettingInput } from './setting-input.tsx'

const initialValue = (setting: Setting): SettingValue =>
  setting.value ?? (setting.is_secret ? '' : (setting.default ?? ''))

/** `secrets`: the re-entered values of secrets that the change would send to a different place. */
type Save = (change: { name: string; value: SettingValue; secrets?: Record<string, SettingValue> }) => Promise<unknown>

/**
 * Stores the entered values of the secrets that must be entered again. After a first attempt to save, marks the missing
 * ones.
 */
const useSecretsAgain = (asked: readonly Setting[]) => {
  const [values, setValues] = useState<Record<string, SettingValue>>({})
  const [tried, setTried] = useState(false)
  const missing = asked.filter(({ name }) => isEmptySetting(values[name]))
  return {
    values,
    problems: tried ? Object.fromEntries(missing.map(({ name }) => [name, 'Required'])) : {},
    change: (name: string, value: SettingValue) => setValues((before) => ({ ...before, [name]: value })),
    clear: () => {
      setValues({})
      setTried(false)
    },
    /** Returns the secrets to send with the change. Returns undefined if a secret is missing, and marks its input. */
    take: (): { secrets?: Record<string, SettingValue> } | undefined => {
      setTried(true)
      if (missing.length > 0) return undefined
      if (asked.length === 0) return {}
      return { secrets: Object.fromEntries(asked.map(({ name }) => [name, values[name] ?? null])) }
    },
  }
}

/** The saving of one setting, and why it was refused. */
const useSaving = ({ name }: Setting, onSave: Save) => {
  const [problem, setProblem] = useState<SettingFailure | undefined>()
  const [saving, setSaving] = useState(false)
  return {
    problem,
    setProblem,
    saving,
    save: async (change: Omit<Parameters<Save>[0], 'name'>, onSaved: () => void): Promise<void> => {
      setSaving(true)
      setProblem(undefined)
      try {
        await onSave({ name, ...change })
        onSaved()
      } catch (error) {
        setProblem(settingFailure(error, name))
      } finally {
        setSaving(false)
      }
    },
  }
}

/** Renders content below a setting while it is edited, with a function that changes the edited value. */
type Below = (setting: Setting, draft: SettingValue, change: (value: SettingValue) => void) => ReactNode

/** An SQL query, shown, edited and saved separately; an empty one is not sent. */
const QueryRow = ({ setting, mayEdit, onSave }: { setting: Setting; mayEdit: boolean; onSave: Save }) => {
  const saved = typeof setting.value === 'string' ? setting.value : ''
  const [draft, setDraft] = useState<string | undefined>()
  const { problem, setProblem, saving, save } = useSaving(setting, onSave)
  const locked = !mayEdit || (!setting.editable && saved !== '')
  const close = (): void => {
    setDraft(undefined)
    setProblem(undefined)
  }
  const submit = (value: string): void => {
    if (value.trim() === '') setProblem({ message: 'Required' })
    else void save({ value }, close)
  }
  return (
    <form
      noValidate
      className="space-y-3 px-5 py-4"
      onSubmit={(event) => {
        event.preventDefault()
        submit(draft ?? saved)
      }}
    >
      <Field
        label={setting.display_name}
        required={setting.required}
        hint={shownHint(setting)}
        error={problem?.message}
        errorDetail={problem?.detail}
      >
        {(control) => (
          <QueryEditor
            control={control}
            label={setting.display_name}
            value={draft ?? saved}
            onChange={(value) => {
              setDraft(value)
              setProblem(undefined)
            }}
            open={draft !== undefined}
            onOpen={() => setDraft(saved)}
            locked={locked}
            disabled={saving}
          />
        )}
      </Field>
      {draft !== undefined && (
        <div className="flex justify-end gap-2">
          <Button disabled={saving} onClick={close}>
            Cancel
          </Button>
          <Button type="submit" variant="primary" loading={saving}>
            Save
          </Button>
        </div>
      )}
    </form>
  )
}

const DraftButtons = ({
  isTemplate,
  saving,
  mistaken,
  onDiscard,
}: {
  isTemplate: boolean
  saving: boolean
  mistaken: boolean
  onDiscard: () => void
}) => (
  <div className="flex justify-end gap-2">
    <Button onClick={onDiscard}>Discard</Button>
    <Button type="submit" variant="primary" loading={saving} disabled={mistaken}>
      {isTemplate ? 'Apply' : 'Save'}
    </Button>
  </div>
)

/** The edited value of a setting, with the secrets that saving it requires, and how it is saved or reset. */
const useSettingDraft = (setting: Setting, settings: readonly Setting[], onSave: Save) => {
  const saved = initialValue(setting)
  const [draft, setDraft] = useState<SettingValue>(saved)
  const { problem, setProblem, saving, save } = useSaving(setting, onSave)
  // A saved secret is never shown again: its input starts empty.
  const [saves, setSaves] = useState(0)
  // Whether the value is being reset, which can also send secrets elsewhere.
  const [takingBack, setTakingBack] = useState(false)
  const again = secretsToEnterAgain(settings, setting, draft)
  const secrets = useSecretsAgain(again)
  const change = (value: SettingValue): void => {
    setTakingBack(false)
    setDraft(value)
    setProblem(undefined)
  }
  const send = async (value: SettingValue): Promise<void> => {
    const along = secrets.take()
    if (along === undefined) return
    await save({ value, ...along }, () => {
      setSaves((count) => count + 1)
      secrets.clear()
      if (setting.is_secret) setDraft('')
    })
  }
  return {
    saved,
    draft,
    changed: JSON.stringify(draft) !== JSON.stringify(saved) && !(isEmptySetting(draft) && isEmptySetting(saved)),
    problem,
    saving,
    saves,
    again,
    secrets,
    change,
    submit: (): void => {
      // A value cannot be saved empty, even if the setting is optional: a separate button resets it.
      const found = takingBack ? undefined : isEmptySetting(draft) ? 'Required' : settingProblem(setting, draft)
      if (found === undefined) void send(takingBack ? null : draft)
      else setProblem({ message: found })
    },
    discard: (): void => {
      change(saved)
      secrets.clear()
    },
    takeBack: (): void => {
      if (secretsToEnterAgain(settings, setting, null).length === 0) return void send(null)
      setTakingBack(true)
      setDraft(setting.default ?? '')
    },
  }
}

/** One setting that is saved separately: its buttons appear while it differs from the saved value. */
const SettingRow = ({
  setting,
  settings,
  mayEdit,
  onSave,
  below,
}: {
  setting: Setting
  /** All settings of the object: this setting can decide to which place the secrets among them are sent. */
  settings: readonly Setting[]
  mayEdit: boolean
  onSave: Save
  below: Below | undefined
}) => {
  const edit = useSettingDraft(setting, settings, onSave)
  const { saved, draft, changed, problem, saving, again, secrets } = edit
  const locked = !mayEdit || (!setting.editable && (setting.is_set || !isEmptySetting(setting.value)))
  const isChoice = setting.type === 'boolean' || setting.type === 'select'
  const takesBack = !isChoice && setting.is_set && !setting.required && (setting.is_secret || saved !== setting.default)
  const isTemplate = setting.type === 'template' || setting.type === 'text-template'
  const mistake = useTemplateProblem(isTemplate && changed && typeof draft === 'string' ? draft : undefined)
  return (
    <form
      noValidate
      className="space-y-3 px-5 py-4"
      onSubmit={(event) => {
        event.preventDefault()
        edit.submit()
      }}
    >
      <Field
        label={setting.display_name}
        required={setting.required}
        hint={shownHint(setting)}
        error={mistake ?? problem?.message}
        errorDetail={mistake === undefined ? problem?.detail : undefined}
        errorAsCode={isTemplate}
      >
        {(control) => (
          <SettingInput
            key={edit.saves}
            option={setting}
            control={control}
            value={draft}
            onChange={edit.change}
            disabled={locked || saving}
            isSet={setting.is_set}
          />
        )}
      </Field>
      {again.length > 0 && !locked && (
        <SecretsAgain
          secrets={again}
          values={secrets.values}
          problems={secrets.problems}
          disabled={saving}
          onChange={secrets.change}
        />
      )}
      {takesBack && !changed && !locked && (
        <Button size="sm" loading={saving} onClick={edit.takeBack}>
          {setting.default === null ? 'Remove' : 'Use the default'}
        </Button>
      )}
      {changed && !locked && (
        <DraftButtons
          isTemplate={isTemplate}
          saving={saving}
          mistaken={mistake !== undefined}
          onDiscard={edit.discard}
        />
      )}
      {below?.(setting, draft, edit.change)}
    </form>
  )
}

/** The settings of one source or destination, each saved separately. */
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
  /** Saves one setting; null resets it to its default. A rejection is shown below the setting. */
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
          .map((setting) => {
            const key = `${setting.name} ${JSON.stringify(setting.value)} ${setting.is_set}`
            return setting.type === 'sql' ? (
              <QueryRow key={key} setting={setting} mayEdit={mayEdit} onSave={onSave} />
            ) : (
              <SettingRow
                key={key}
                setting={setting}
                settings={settings}
                mayEdit={mayEdit}
                onSave={onSave}
                below={below}
              />
            )
          })}
      </div>
    </section>
  )
}
