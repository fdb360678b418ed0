import { BookOpen, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { docsAddress } from '../../lib/docs.ts'
import { useDocumentTitle } from './document-title.ts'

/** A link to the documentation about the page, in a new tab. Shows nothing if there is none. */
const DocsLink = ({ app }: { app: string | undefined }) => {
  const address = docsAddress(useLocation(), app)
  if (address === undefined) return null
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener"
      className="inline-flex h-8 items-center gap-1.5 rounded-sm px-1 text-sm text-ink-2 hover:text-ink hover:underline"
    >
      <BookOpen aria-hidden className="size-4" />
      Docs
      <span className="sr-only"> (opens in a new tab)</span>
    </a>
  )
}

/** The header of every page: the breadcrumbs, the title, a description in one line, and at most one primary action. */
export const PageHeader = ({
  title,
  documentTitle,
  description,
  crumbs = [],
  icon,
  app,
  action,
}: {
  title: ReactNode
  /** The title of the document. By default, it is `title` if that is a text. */
  documentTitle?: string
  description?: ReactNode
  crumbs?: readonly { label: string; to: string }[]
  icon?: ReactNode
  /** The catalog entry of the object of the page: the documentation is about this entry. */
  app?: string | undefined
  action?: ReactNode
}) => {
  useDocumentTitle(documentTitle ?? (typeof title === 'string' ? title : ''))
  return (
    <header className="mb-6">
      {crumbs.length > 0 && (
        <nav aria-label="Breadcrumb" className="mb-2">
          <ol className="flex items-center gap-1 text-xs text-ink-3">
            {crumbs.map((crumb, index) => (
              <li key={crumb.to} className="flex items-center gap-1">
                {index > 0 && <ChevronRight aria-hidden className="size-3" />}
                <Link to={crumb.to} className="rounded-sm hover:text-ink hover:underline">
                  {crumb.label}
                </Link>
              </li>
            ))}
          </ol>
        </nav>
      )}
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        {icon}
        <div className="min-w-0 flex-1 basis-40">
          <h1 className="text-xl font-semibold tracking-tight text-balance break-words">{title}</h1>
          {description !== undefined && <p className="mt-0.5 text-sm text-ink-2">{description}</p>}
        </div>
        <div className="flex max-w-full shrink-0 flex-wrap items-center gap-2">
          <DocsLink app={app} />
          {action}
        </div>
      </div>
    </header>
  )
}
