import { type SyncMode, syncModes } from '@tributary/contract'
import { eventModeSentences, modeOrder, modeSentences } from './sync-words.ts'

/** A choice among the modes that an object has, each with what it does. */
export const ModeChoice = ({
  modes,
  value,
  ofEvents = false,
  disabled = false,
  onChange,
}: {
  modes: readonly SyncMode[]
  value: SyncMode | undefined
  /** Rows become events. */
  ofEvents?: boolean
  disabled?: boolean
  onChange: (mode: SyncMode) => void
}) => (
  <fieldset className="space-y-2" disabled={disabled}>
    <legend className="sr-only">Mode</legend>
    {modeOrder
      .filter((mode) => modes.includes(mode))
      .map((mode) => (
        <label
          key={mode}
          className="grid cursor-pointer grid-cols-[auto_minmax(0,1fr)] gap-x-3 rounded-lg border border-line bg-surface px-4 py-3 text-sm has-checked:border-accent has-disabled:cursor-default"
        >
          <input
            type="radio"
            name="mode"
            className="mt-0.5 size-4 accent-accent"
            checked={value === mode}
            onChange={() => onChange(mode)}
          />
          <span className="font-medium">{syncModes[mode].title}</span>
          <span className="col-start-2 text-ink-2">{(ofEvents ? eventModeSentences : modeSentences)[mode]}</span>
        </label>
      ))}
  </fieldset>
)
