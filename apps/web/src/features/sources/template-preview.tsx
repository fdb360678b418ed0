import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { methods, type Source } from '@tributary/contract'
import { CircleAlert } from 'lucide-react'
import { useId } from 'react'
import { formatJson } from '../../lib/format/json-text.ts'
import { sourceIds } from '../../lib/format/names.ts'
import { pluralise } from '../../lib/format/text.ts'
import { query } from '../../lib/queries/query.ts'
import { plainWebhookTemplate } from '../../lib/settings/template-parts.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code/code-block.tsx'
import { CodeEditor } from '../../ui/code/code-editor.tsx'
import { scrollable } from '../../ui/scrollable.ts'

/** The result of a template for a body. */
const templatePreviewQuery = (source: string, template: string, body: string) =>
  query(
    methods.sources.previewTemplate,
    { params: sourceIds(source), body: { template, body, query: '', headers: {} } },
    { gcTime: 60_000, wait: 250 },
  )

/** The initial body of a preview. */
export const sampleBody = `{
  "id": "t-4711",
  "state": "closed",
  "customer": { "id": "user-123", "email": "jane@example.com" },
  "total": 59.9
}`

const Result = ({ source, template, body }: { source: Source; template: string; body: string }) => {
  const { data, error, isPending } = useQuery({
    ...templatePreviewQuery(source.name, template, body),
    placeholderData: keepPreviousData,
  })
  if (isPending) return <p className="text-sm text-ink-3">Rendering…</p>
  if (error !== null) return <Alert className="text-sm">{error.message}</Alert>
  if (data.error !== null)
    return (
      <div role="alert" className="flex items-start gap-2 rounded-md bg-danger-soft px-3 py-2 text-danger-ink">
        <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        <div className="min-w-0 flex-1">
          <p className="text-xs font-medium">
            {data.error.reason === 'TEMPLATE_INVALID'
              ? 'The template is not valid'
              : `Requests like this one are refused: ${data.error.reason}`}
          </p>
          <pre {...scrollable} className="mt-1 overflow-x-auto scroll-thin font-mono text-xs leading-5">
            {data.error.message}
          </pre>
        </div>
      </div>
    )
  if (data.events.length === 0)
    return (
      <p className="text-sm text-ink-2">
        The template returns no event for this body. The request is accepted, but nothing is stored.
      </p>
    )
  return (
    <CodeBlock
      codes={[
        {
          title: `${data.events.length} ${pluralise(data.events.length, 'event')}`,
          language: 'json',
          text: data.events.map((event) => formatJson(event)).join('\n\n'),
        },
      ]}
      notice="Event copied"
      className="max-h-80"
    />
  )
}

/** A body for testing the template above it, and the result of the server, for saved and unsaved templates. */
export const TemplatePreview = ({
  source,
  template,
  body,
  onBody,
  onTemplate,
}: {
  source: Source
  template: string
  body: string
  onBody: (body: string) => void
  onTemplate: (template: string) => void
}) => {
  const id = useId()
  if (template.trim() === '')
    return (
      <div className="flex flex-wrap items-center gap-3 rounded-md bg-sunken px-3 py-2.5 text-sm text-ink-2">
        <p className="min-w-0 flex-1">
          Without a template, each request becomes a track event with the body as its properties.
        </p>
        <Button size="sm" onClick={() => onTemplate(plainWebhookTemplate)}>
          Use this as a template
        </Button>
      </div>
    )
  return (
    <section aria-label="Preview" className="space-y-2 border-t border-line pt-3">
      <label id={`${id}-label`} htmlFor={id} className="block text-sm font-medium">
        Test with a body
      </label>
      <CodeEditor language="json" id={id} value={body} onChange={onBody} className="h-36" />
      <Result source={source} template={template} body={body} />
    </section>
  )
}
