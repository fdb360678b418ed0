import { minuteText } from './plan-texts.ts'

/** Says that the payment provider is away and when what is shown was read; nothing while it answers. */
export const AsOf = ({ time }: { time: string | null }) =>
  time !== null && (
    <output className="mb-3 block text-sm text-warning-ink">
      {`The payment provider cannot be reached. Shown as of ${minuteText(time)}.`}
    </output>
  )
