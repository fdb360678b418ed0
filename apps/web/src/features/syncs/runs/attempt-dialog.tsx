import { useQuery } from '@tanstack/react-query'
import { methods, type SyncRun, type SyncRunRow } from '@tributary/contract'
import { useState } from 'react'
import { QueryView } from '../../../components/query-view.tsx'
import { syncRunIds } from '../../../lib/format/names.ts'
import { count } from '../../../lib/format/text.ts'
import { query } from '../../../lib/queries/query.ts'
import { Button } from '../../../ui/button.tsx'
import { Exchange, Fact } from '../../../ui/code/exchange.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'

/** Reads the last attempt to deliver a row of a run, by the number of the row. Not cached. */
const syncRowAttemptQuery = (run: string, row: number) =>
  query(methods.syncRuns.getRowAttempt, { params: { ...syncRunIds(run), row: String(row) } }, { staleTime: 0 })

/** Pause in ms between two reads while the delivery log does not contain the attempt yet. */
const pollMs = 2_000

/** The last request for a row, and the destination's response. */
export const AttemptDialog = ({ run, row, onClosed }: { run: SyncRun; row: SyncRunRow; onClosed: () => void }) => {
  const [open, setOpen] = useState(true)
  const query = useQuery({
    ...syncRowAttemptQuery(run.name, row.number),
    // The attempts of a run may be stored after the run has ended.
    refetchInterval: ({ state: { data } }) => (data?.attempt === null ? pollMs : false),
  })
  const close = (): void => setOpen(false)
  return (
    <Dialog
      open={open}
      onClose={close}
      onClosed={onClosed}
      size="lg"
      title="Latest attempt"
      description={<code className="font-mono break-all">{row.key}</code>}
      footer={<Button onClick={close}>Close</Button>}
    >
      <QueryView query={query} skeleton={<CardSkeleton lines={4} />} errorTitle="Failed to load the attempt">
        {({ attempt }) =>
          attempt === null ? (
            <p className="text-sm text-ink-2">The attempt is not in the delivery log yet, or is no longer kept.</p>
          ) : (
            <>
              <dl className="mb-4 grid grid-cols-2 gap-3 sm:grid-cols-4">
                <Fact name="Time">
                  <RelativeTime time={attempt.time} />
                </Fact>
                <Fact name="Attempt">{attempt.attempt}</Fact>
                <Fact name="HTTP status">{attempt.http_status === 0 ? 'None' : attempt.http_status}</Fact>
                <Fact name="Latency">{count(attempt.latency_ms)} ms</Fact>
              </dl>
              <Exchange reason={attempt.reason} request={attempt.request} response={attempt.response}>
                No request and response were stored.
              </Exchange>
            </>
          )
        }
      </QueryView>
    </Dialog>
  )
}
