import { minuteText } from './plan-texts.ts'

/**
 * Shows that the payment provider is unavailable, and when the shown data was loaded; nothing while it is available.
 */
export const AsOf = ({ time }: { time: string | null }) =>
  time !== null && (
    <output className="mb-3 block text-sm text-warning-ink">
      {`The payment provider cannot be reached. Shown as of ${minuteText(time)}.`}
    </output>
  )
