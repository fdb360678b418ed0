import type { CatalogDestination } from '@tributary/contract'
import type { ReactNode } from 'react'
import { DocsPanel } from '../../../components/docs-panel.tsx'
import { Badge } from '../../../ui/badge.tsx'
import { describedParts } from './described-parts.ts'

const Names = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="space-y-2">
    <h3 className="text-sm font-semibold">{title}</h3>
    {children}
  </section>
)

/** How the destination will look: its settings, its actions with their fields, and its guide. */
export const Preview = ({ app, text }: { app: CatalogDestination; text: string }) => {
  const { actions, requests } = describedParts(text)
  return (
    <div className="space-y-5">
      <Names title="Settings">
        {app.settings.length === 0 && <p className="text-sm text-ink-3">None.</p>}
        <ul className="space-y-1.5">
          {app.settings.map(({ name, display_name: label, required, is_secret: secret }) => (
            <li key={name} className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
              <span className="font-medium">{label}</span>
              <code className="font-mono text-xs text-ink-3">{name}</code>
              {secret && <Badge>Secret</Badge>}
              {!required && <Badge tone="outline">Optional</Badge>}
            </li>
          ))}
        </ul>
      </Names>
      <Names title="Actions">
        <ul className="space-y-2">
          {actions.map(({ name, title, request, fields }) => (
            <li key={name} className="text-sm">
              <span className="font-medium">{title === '' ? name : title}</span>{' '}
              <span className="text-ink-3">
                sends <code className="font-mono text-xs">{request}</code>
              </span>
              <span className="block text-xs break-words text-ink-2">{fields.join(', ')}</span>
            </li>
          ))}
        </ul>
      </Names>
      <Names title="Requests">
        <ul className="space-y-1.5">
          {requests.map(({ name, method, path }) => (
            <li key={name} className="text-sm break-words">
              <span className="font-medium">{name}</span>{' '}
              <code className="font-mono text-xs text-ink-2">
                {method} {path}
              </code>
            </li>
          ))}
        </ul>
      </Names>
      <DocsPanel app={app} steps={app.guide} />
    </div>
  )
}
