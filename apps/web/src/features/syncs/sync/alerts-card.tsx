import { useQuery } from '@tanstack/react-query'
import type { Sync } from '@tributary/contract'
import { Link } from 'react-router'
import { listed } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { alertChannelsQuery } from '../../../lib/queries/sync-queries.ts'
import { useMayEdit, useWorkspace } from '../../../lib/workspace.ts'
import { Input } from '../../../ui/forms/input.tsx'
import { channelKindTitles, channelsOf } from '../alert-channels/channel-words.ts'
import { type AlertsInput, alertProblem, alertsInput, alertsOf, type NumberAlert, numberAlerts } from './alert-rules.ts'
import { SavedCard } from './saved-card.tsx'

/** The texts before and after the number of each alert, and its label. */
const words: Record<NumberAlert, { before: string; after: string; label: string }> = {
  rejected_percent: {
    before: 'More than',
    after: '% of the rows were rejected',
    label: 'Share of rejected rows, in percent',
  },
  minutes: { before: 'It took longer than', after: 'minutes', label: 'Longest run, in minutes' },
  rows_percent: {
    before: 'It read over',
    after: '% more or fewer rows than usual',
    label: 'Difference from the usual number of rows, in percent',
  },
}

const NumberRow = ({
  rule,
  text,
  disabled,
  onChange,
}: {
  rule: NumberAlert
  text: string
  disabled: boolean
  onChange: (text: string) => void
}) => {
  const { before, after, label } = words[rule]
  const problem = alertProblem(rule, text)
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm">
      <span>{before}</span>
      <Input
        aria-label={label}
        inputMode="numeric"
        className="w-20 text-right tabular"
        maxLength={5}
        placeholder="Off"
        value={text}
        disabled={disabled}
        aria-invalid={problem === undefined ? undefined : true}
        onChange={({ target }) => onChange(target.value)}
      />
      <span>{after}</span>
      {problem !== undefined && (
        <span role="alert" className="text-xs text-danger-ink">
          {problem}
        </span>
      )}
    </div>
  )
}

/** Lists the channels that are notified of a sync, and shows which of them fail. */
const Channels = ({ sync }: { sync: Sync }) => {
  const workspace = useWorkspace().name
  const { data } = useQuery(alertChannelsQuery(workspace))
  if (data === undefined) return null
  const channels = channelsOf(sync.name, data)
  return (
    <div className="space-y-1 border-t border-line pt-3 text-sm text-ink-2">
      <p>
        {channels.length === 0
          ? 'Not sent to any channel.'
          : `Also sent to ${listed(channels.map(({ title, kind }) => `${title} (${channelKindTitles[kind]})`))}.`}{' '}
        <Link to={paths.alertChannels(workspace)} className="rounded-sm text-accent-ink underline underline-offset-3">
          Alert channels
        </Link>
      </p>
      {channels
        .filter(({ failure }) => failure !== '')
        .map(({ name, title, failure }) => (
          <p key={name} className="text-xs break-words text-danger-ink">
            {title} did not take the last message: {failure}
          </p>
        ))}
    </div>
  )
}

/** The conditions that notify people of a run. */
export const AlertsCard = ({ sync }: { sync: Sync }) => {
  const mayEdit = useMayEdit() === true
  return (
    <SavedCard<AlertsInput>
      sync={sync}
      title="Alerts"
      description="Administrators and collaborators are notified in the inbox and by email when a run is not as it should be, and when it is again. An empty box is off."
      saved={alertsInput(sync.alerts)}
      changeOf={(input) => {
        const alerts = alertsOf(input)
        return alerts === undefined ? undefined : { alerts }
      }}
    >
      {(input, change) => (
        <div className="space-y-3">
          <label className="flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              className="size-4 shrink-0 accent-accent"
              checked={input.failed}
              disabled={!mayEdit}
              onChange={({ target }) => change({ ...input, failed: target.checked })}
            />
            The run failed
          </label>
          {numberAlerts.map((rule) => (
            <NumberRow
              key={rule}
              rule={rule}
              text={input[rule]}
              disabled={!mayEdit}
              onChange={(text) => change({ ...input, [rule]: text })}
            />
          ))}
          <Channels sync={sync} />
        </div>
      )}
    </SavedCard>
  )
}
