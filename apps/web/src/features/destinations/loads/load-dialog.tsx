import type { WarehouseLoad } from '@tributary/contract'
import { bytesText } from '../../../lib/format/bytes.ts'
import { count, pluralise, sentence } from '../../../lib/format/text.ts'
import { localTime, utcTime } from '../../../lib/format/time.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code/code-block.tsx'
import { Fact } from '../../../ui/code/exchange.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { useOpened } from '../../../ui/overlays/use-opened.ts'
import { useCurrentTime } from '../../../ui/relative-time.tsx'
import { loadDuration, loadStates, loadTitle, movedText, starterOf } from './load-words.ts'

const Moment = ({ time }: { time: string }) => (
  <time dateTime={time} title={utcTime(time)}>
    {localTime(time)}
  </time>
)

const Tables = ({ tables }: Pick<WarehouseLoad, 'tables'>) => (
  <section aria-labelledby="load-tables">
    <h3 id="load-tables" className="mb-1.5 text-sm font-medium">
      Rows by table
    </h3>
    <dl className="divide-y divide-line rounded-lg border border-line text-sm">
      {tables.map(({ table, row_count }) => (
        <div key={table} className="flex items-baseline gap-4 px-3 py-1.5">
          <dt className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">{table}</dt>
          <dd className="shrink-0 tabular">{count(row_count)}</dd>
        </div>
      ))}
    </dl>
  </section>
)

/** One load or change of a column: its times, its rows by table, and the statement that failed. */
export const LoadDialog = ({ load, onClosed }: { load: WarehouseLoad; onClosed: () => void }) => {
  const { close, dialog } = useOpened(onClosed)
  const now = useCurrentTime()
  const { label, tone } = loadStates[load.state]
  return (
    <Dialog
      {...dialog}
      size="lg"
      title={loadTitle(load)}
      description={<Badge tone={tone}>{label}</Badge>}
      footer={<Button onClick={close}>Close</Button>}
    >
      <div className="space-y-4">
        <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
          <Fact name="Started by">{starterOf(load)}</Fact>
          <Fact name={load.start_time === null ? 'Created' : 'Started'}>
            <Moment time={load.start_time ?? load.create_time} />
          </Fact>
          <Fact name="Duration">{loadDuration(load, now) || '–'}</Fact>
          <Fact name="Attempts">{count(load.attempts)}</Fact>
          {load.kind === 'load' && (
            <>
              <Fact name="Rows">{count(load.row_count)}</Fact>
              <Fact name="Size">{bytesText(load.bytes)}</Fact>
            </>
          )}
        </dl>
        {load.reason !== '' && <Alert>{sentence(load.reason)}</Alert>}
        {load.unfit_count > 0 && (
          <p className="text-sm text-ink-2">
            {movedText(load.unfit_count)}: the {pluralise(load.unfit_count, 'value')} no longer{' '}
            {load.unfit_count === 1 ? 'fits its' : 'fit their'} column.
          </p>
        )}
        {load.statement !== '' && (
          <CodeBlock
            codes={[{ title: 'Statement', language: 'sql', text: load.statement }]}
            notice="Statement copied"
            className="max-h-64 break-words whitespace-pre-wrap"
          />
        )}
        {load.tables.length > 0 && <Tables tables={load.tables} />}
      </div>
    </Dialog>
  )
}
