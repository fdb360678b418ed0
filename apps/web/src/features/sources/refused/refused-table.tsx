import type { RefusedRequest } from '@tributary/contract'
import { useState } from 'react'
import { formatJson } from '../../../lib/format/json-text.ts'
import { count, humanise, pluralise } from '../../../lib/format/text.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code/code-block.tsx'
import { WithCode } from '../../../ui/code/with-code.tsx'
import { type Column, DataTable } from '../../../ui/lists/data-table.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'

const reasonText = (reason: string): string => {
  const words = humanise(reason.toLowerCase()).replaceAll(/\bjson\b/g, 'JSON')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const columns: readonly Column<RefusedRequest>[] = [
  {
    id: 'reason',
    header: 'Reason',
    value: (row) => row.reason,
    cell: (row) => (
      <span className="block py-2">
        <span className="flex items-center gap-2 font-medium">
          {reasonText(row.reason)}
          <Badge tone="danger">{row.code}</Badge>
        </span>
        <span className="mt-0.5 block text-xs text-ink-2">
          <WithCode text={row.message} />
          {row.key_hint !== '' && <span className="text-ink-3"> Key sent: {row.key_hint}</span>}
          {row.source_deleted && <span className="text-ink-3"> Deleted source: {row.source_title}</span>}
        </span>
      </span>
    ),
  },
  {
    id: 'count',
    header: 'Count, 24 h',
    value: (row) => row.count,
    cell: (row) => count(row.count),
    align: 'right',
    className: 'whitespace-nowrap',
  },
  {
    id: 'last',
    header: 'Last time',
    value: (row) => row.last_time,
    cell: (row) => <RelativeTime time={row.last_time} className="text-ink-2" />,
    align: 'right',
    wide: true,
    className: 'whitespace-nowrap',
  },
]

const RefusedDialog = ({ row, onClose }: { row: RefusedRequest; onClose: () => void }) => (
  <Dialog
    open
    onClose={onClose}
    size="lg"
    title={reasonText(row.reason)}
    description={
      <span>
        Refused with status {row.code}, {count(row.count)} {pluralise(row.count, 'time')} in the last 24 hours, last{' '}
        <RelativeTime time={row.last_time} />
        {row.key_hint !== '' && `, with key ${row.key_hint}`}
      </span>
    }
    footer={<Button onClick={onClose}>Close</Button>}
  >
    <p className="mb-4 rounded-md bg-danger-soft px-3 py-2 text-sm break-words text-danger-ink">
      <WithCode text={row.message} />
    </p>
    {row.sample === '' ? (
      <p className="text-sm text-ink-2">No sample was stored.</p>
    ) : (
      <CodeBlock
        codes={[{ title: 'Latest request, redacted', language: 'json', text: formatJson(row.sample) }]}
        notice="Sample copied"
        className="max-h-80"
      />
    )}
  </Dialog>
)

/** Rejected requests by reason; a row opens the last sample. */
export const RefusedTable = ({ label, rows }: { label: string; rows: RefusedRequest[] }) => {
  const [shown, setShown] = useState<RefusedRequest | undefined>()
  return (
    <>
      <DataTable
        label={label}
        columns={columns}
        rows={rows}
        rowId={(row) => `${row.source} ${row.reason} ${row.code} ${row.key_hint}`}
        onRow={setShown}
      />
      {shown !== undefined && <RefusedDialog row={shown} onClose={() => setShown(undefined)} />}
    </>
  )
}
