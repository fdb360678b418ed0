import type { Destination, WarehouseLoad, WarehouseStatus } from '@tributary/contract'
import { Download } from 'lucide-react'
import { count, pluralise, sentence } from '../../../lib/format/text.ts'
import { elapsed, utcTime } from '../../../lib/format/time.ts'
import { isOpen } from '../../../lib/queries/warehouse-queries.ts'
import { useMayEdit } from '../../../lib/workspace.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Fact } from '../../../ui/code/exchange.tsx'
import { Spinner } from '../../../ui/page/spinner.tsx'
import { RelativeTime, useCurrentTime } from '../../../ui/relative-time.tsx'
import { useStartLoad } from './load-mutations.ts'
import { billedText, everyText, loadDuration, loadTitle, momentText } from './load-words.ts'

const Complete = ({ time }: { time: string }) => {
  const now = useCurrentTime()
  return (
    <>
      Complete up to{' '}
      <time dateTime={time} title={utcTime(time)}>
        {momentText(time, now)}
      </time>
    </>
  )
}

/** The load or the change that waits or runs, with its time so far. */
const Progress = ({ load }: { load: WarehouseLoad }) => {
  const now = useCurrentTime()
  const duration = loadDuration(load, now)
  return (
    <p className="flex items-center gap-2 text-sm text-ink-2">
      <Spinner size="sm" label="In progress" />
      <span className="min-w-0 break-words">
        {loadTitle(load)} {load.state === 'running' ? `runs${duration === '' ? '' : ` for ${duration}`}` : 'is waiting'}
        {load.attempts > 1 && `, attempt ${load.attempts}`}
      </span>
    </p>
  )
}

const descriptionOf = ({ enabled }: Destination, { complete_time, every_minutes }: WarehouseStatus): string => {
  if (complete_time !== null) return 'Events received before this time are in their tables.'
  return enabled
    ? `Events are staged first, and loaded ${everyText(every_minutes)}.`
    : 'This destination is paused. Nothing is loaded until you resume it.'
}

/** How far the tables of a warehouse are complete, when it loads next, and a button that loads now. */
export const StatusCard = ({
  destination,
  status,
  loads,
}: {
  destination: Destination
  status: WarehouseStatus
  /** The newest loads, newest first. */
  loads: readonly WarehouseLoad[]
}) => {
  const mayEdit = useMayEdit() === true
  const start = useStartLoad(destination.name)
  const open = loads.find(({ state }) => state === 'running') ?? loads.find(isOpen)
  const last = loads.find(({ kind, state }) => kind === 'load' && (state === 'succeeded' || state === 'failed'))
  const { complete_time, next_load_time, waiting_event_count, loads_last_day, seconds_last_day } = status
  const billed = billedText(status)
  return (
    <Card
      title={complete_time === null ? 'No load yet' : <Complete time={complete_time} />}
      description={descriptionOf(destination, status)}
      action={
        mayEdit && (
          <Button
            loading={start.isPending}
            disabled={loads.some((load) => load.kind === 'load' && isOpen(load))}
            onClick={() => start.mutate()}
          >
            <Download aria-hidden />
            Load now
          </Button>
        )
      }
    >
      <div className="space-y-4">
        <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-4">
          <Fact name="Next load">
            {next_load_time !== null ? (
              <RelativeTime time={next_load_time} upcoming past="Due now" />
            ) : destination.enabled ? (
              'Not planned yet'
            ) : (
              'None while paused'
            )}
          </Fact>
          <Fact name="Waiting to be staged">
            {count(waiting_event_count)} {pluralise(waiting_event_count, 'event')}
          </Fact>
          <Fact name="Loads in 24 h">{count(loads_last_day)}</Fact>
          <Fact name="Running time in 24 h">
            {seconds_last_day < 10 ? `${count(seconds_last_day)} s` : elapsed(seconds_last_day * 1000)}
          </Fact>
        </dl>
        {billed !== undefined && <p className="text-sm text-ink-2">{billed}</p>}
        {open !== undefined && <Progress load={open} />}
        {last?.state === 'failed' && <Alert>The last load failed: {sentence(last.reason)}</Alert>}
      </div>
    </Card>
  )
}
