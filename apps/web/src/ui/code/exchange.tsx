import type { ReactNode } from 'react'
import { formatMessage } from '../../lib/format/json-text.ts'
import { CodeBlock } from './code-block.tsx'

/** One named fact of a `dl`. */
export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-xs text-ink-3">{name}</dt>
    <dd className="text-sm break-words tabular">{children}</dd>
  </div>
)

const Message = ({ title, text }: { title: string; text: string }) => (
  <CodeBlock
    codes={[{ title, language: 'text', text: formatMessage(text) }]}
    notice={`${title} copied`}
    className="max-h-64 break-all whitespace-pre-wrap"
  />
)

/** Shows why an attempt failed, the request, and the response. `children` explain why neither is stored. */
export const Exchange = ({
  reason,
  request,
  response,
  children,
}: {
  reason: string
  request: string
  response: string
  children: ReactNode
}) => (
  <>
    {reason !== '' && (
      <p className="mb-4 rounded-md bg-warning-soft px-3 py-2 text-sm break-words text-warning-ink">{reason}</p>
    )}
    {request === '' && response === '' ? (
      <p className="text-sm text-ink-2">{children}</p>
    ) : (
      <div className="space-y-4">
        <Message title="Request" text={request} />
        <Message title="Response" text={response === '' ? 'No response' : response} />
      </div>
    )}
  </>
)
