import { CloudOff, LockKeyhole, SearchX, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { type ErrorScreenText, errorScreen } from '../lib/api/errors.ts'
import { entryPaths } from '../lib/entry-paths.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { useDocumentTitle } from '../ui/page/document-title.ts'

const icons: Record<ErrorScreenText['kind'], typeof SearchX> = {
  'not-found': SearchX,
  'workspace-not-found': SearchX,
  forbidden: LockKeyhole,
  warehouse: CloudOff,
  other: TriangleAlert,
}

const Frame = ({
  icon: Icon,
  heading: Heading = 'h2',
  title,
  documentTitle = title,
  children,
  action,
}: {
  icon: typeof SearchX
  heading?: 'h1' | 'h2'
  title: string
  /** The document title if this is the whole page; by default the title. */
  documentTitle?: string
  children?: ReactNode
  action?: ReactNode
}) => {
  useDocumentTitle(Heading === 'h1' ? documentTitle : undefined)
  return (
    <div role="alert" className="mx-auto flex max-w-lg flex-col items-center px-4 py-16 text-center">
      <span
        aria-hidden
        className="mb-4 grid size-10 place-items-center rounded-lg border border-line bg-surface text-ink-2 shadow-card"
      >
        <Icon className="size-5" />
      </span>
      <Heading className="text-lg font-semibold">{title}</Heading>
      {children !== undefined && <p className="mt-1 text-sm text-balance break-words text-ink-2">{children}</p>}
      {action !== undefined && <div className="mt-5 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}

/**
 * Shown instead of content whose query failed. Its button either reloads the page (a refresh) or runs the query again
 * (a retry).
 * - `page`: the screen replaces the whole page, and its title is the heading of the page.
 * - `onMissingWorkspace`: an additional button if the workspace was not found.
 * - `onUnreachable`: an additional button if a database is unreachable.
 */
export const ErrorScreen = ({
  error,
  onRetry,
  title,
  page = false,
  onMissingWorkspace,
  onUnreachable,
}: {
  error: unknown
  onRetry?: () => void
  title?: string
  page?: boolean
  onMissingWorkspace?: ReactNode
  onUnreachable?: ReactNode
}) => {
  const text = errorScreen(error)
  const act = text.action === 'Refresh' || onRetry === undefined ? () => window.location.reload() : onRetry
  return (
    <Frame
      heading={page ? 'h1' : 'h2'}
      icon={icons[text.kind]}
      title={text.kind === 'other' && title !== undefined ? title : text.title}
      action={
        <>
          <Button onClick={act}>{text.action}</Button>
          {text.kind === 'not-found' && page && <ButtonLink to={entryPaths.root()}>Go to Home</ButtonLink>}
          {text.kind === 'warehouse' && onUnreachable}
          {text.kind === 'workspace-not-found' && (
            <>
              <ButtonLink to={entryPaths.root()}>Choose a workspace</ButtonLink>
              {onMissingWorkspace}
            </>
          )}
        </>
      }
    >
      {text.message}
      {text.detail !== undefined && <span className="mt-2 block font-mono text-xs wrap-anywhere">{text.detail}</span>}
    </Frame>
  )
}

/** Shown if the user's role does not allow the content. */
export const NoAccess = () => (
  <Frame icon={LockKeyhole} heading="h1" documentTitle="No access" title="You don't have access to this resource.">
    Contact your admin for more information.
  </Frame>
)

/** Shown for a URL without a page. */
export const PageNotFound = ({ home }: { home: string }) => (
  <Frame
    icon={SearchX}
    heading="h1"
    title="The requested page was not found."
    documentTitle="Page not found"
    action={
      <ButtonLink to={home} variant="primary">
        Go to Home
      </ButtonLink>
    }
  />
)

/** Shown for a page whose code cannot be loaded because the server is unreachable; retries automatically. */
export const PageAway = ({ asking, onRetry }: { asking: boolean; onRetry: () => void }) => (
  <Frame
    icon={CloudOff}
    heading="h1"
    title="Could not load this page"
    documentTitle="No connection"
    action={
      <Button loading={asking} onClick={onRetry}>
        Retry
      </Button>
    }
  >
    The server can't be reached. This page opens automatically once the connection is back.
  </Frame>
)

/** Shown instead of a workspace page that threw an error. */
export const LastResort = ({ onReset }: { onReset?: () => void }) => (
  <Frame
    icon={TriangleAlert}
    heading="h1"
    title="Ooops, something went wrong!"
    action={
      <>
        {onReset !== undefined && <Button onClick={onReset}>Try again</Button>}
        <Button variant="primary" onClick={() => window.location.reload()}>
          Refresh
        </Button>
      </>
    }
  >
    Refresh the page. If this keeps happening, tell your administrator what you were doing.
  </Frame>
)

/** Shown for a failed route outside of the workspace area. */
export const UnexpectedError = ({ message, onReset }: { message: string; onReset: () => void }) => (
  <Frame
    icon={TriangleAlert}
    heading="h1"
    title="Unexpected Application Error!"
    action={
      <>
        <Button onClick={onReset}>Try again</Button>
        {/* Browsers remember that a page's code failed to load: only a document reload loads it again. */}
        <Button onClick={() => window.location.reload()}>Refresh</Button>
      </>
    }
  >
    {message}
  </Frame>
)
