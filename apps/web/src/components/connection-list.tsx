import { ArrowRight, CircleAlert, Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { AppIcon } from '../ui/app-icon.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { SearchMenu } from '../ui/forms/search-select.tsx'
import { Switch } from '../ui/forms/switch.tsx'
import { ConfirmDialog } from '../ui/overlays/confirm-dialog.tsx'

/**
 * One connection, seen from one of its two ends: `title` and `to` describe the other end. On a page that is about
 * neither end, `from` is the source of the connection.
 */
export type ConnectionRow = {
  name: string
  from?: { title: string; to: string; icon: string }
  title: string
  to: string
  icon: string
  appTitle: string
  /** The text that says that the other end is off; absent if the other end is on. */
  otherOff?: string
  enabled: boolean
}
export type ConnectionChoice = { name: string; title: string; icon: string }

/** A menu for choosing the source or destination to connect. */
export const ConnectMenu = ({
  label,
  choices,
  failed,
  loading,
  onConnect,
  addLabel,
  addTo,
}: {
  label: string
  choices: readonly ConnectionChoice[]
  /** Shown if the choices could not be loaded: the message, and a button that loads them again. */
  failed?: { text: string; onRetry: () => void } | undefined
  loading: boolean
  onConnect: (name: string) => void
  addLabel: string
  addTo: string
}) => (
  <SearchMenu
    label={label}
    options={choices.map(({ name, title, icon }) => ({ value: name, title, icon }))}
    onChoose={onConnect}
    emptyText={failed === undefined ? 'Everything is connected' : ''}
    button={
      <Button variant="primary" loading={loading}>
        <Plus aria-hidden />
        {label}
      </Button>
    }
    footer={(close) => (
      <>
        {failed !== undefined && (
          <p className="flex items-center justify-between gap-2 px-2 py-1 text-sm text-danger-ink">
            <span className="flex items-center gap-2">
              <CircleAlert aria-hidden className="size-4 shrink-0" />
              {failed.text}
            </span>
            <Button size="xs" onClick={failed.onRetry}>
              Try again
            </Button>
          </p>
        )}
        <Link
          to={addTo}
          onClick={close}
          className="flex min-h-8 items-center gap-2 rounded-sm px-2 py-1 text-sm hover:bg-hover focus-visible:-outline-offset-2"
        >
          <Plus aria-hidden className="size-4 shrink-0 text-ink-3" />
          {addLabel}
        </Link>
      </>
    )}
  />
)

const ConnectionLine = ({
  row,
  mayEdit,
  onEnable,
  onDisconnect,
}: {
  row: ConnectionRow
  mayEdit: boolean
  onEnable: (enabled: boolean) => void
  onDisconnect: () => void
}) => (
  <li className="flex flex-wrap items-center gap-3 px-4 py-3">
    {row.from !== undefined && (
      <span className="flex w-full min-w-0 items-center gap-3 sm:w-2/5">
        <AppIcon icon={row.from.icon} />
        <Link to={row.from.to} className="min-w-0 flex-1 truncate rounded-sm font-medium hover:underline">
          {row.from.title}
        </Link>
        <ArrowRight aria-label="to" className="size-4 shrink-0 text-ink-3 max-sm:rotate-90" />
      </span>
    )}
    <AppIcon icon={row.icon} />
    <span className="min-w-0 flex-1 basis-24">
      <Link to={row.to} className="block truncate rounded-sm font-medium hover:underline">
        {row.title}
      </Link>
      <span className="text-xs text-ink-3">{row.appTitle}</span>
    </span>
    <span className="ml-auto flex items-center gap-3">
      {row.otherOff !== undefined && <Badge tone="outline">{row.otherOff}</Badge>}
      <Switch
        checked={row.enabled}
        disabled={!mayEdit}
        label={
          row.from === undefined ? `Connection with ${row.title}` : `Connection from ${row.from.title} to ${row.title}`
        }
        onChange={onEnable}
      />
      {mayEdit && (
        <Button size="sm" variant="none" onClick={onDisconnect}>
          Disconnect
        </Button>
      )}
    </span>
  </li>
)

/** The connected sources or destinations, each with a switch and a button that disconnects it. */
export const ConnectionList = ({
  label,
  rows,
  mayEdit,
  onEnable,
  onDisconnect,
  disconnectText,
}: {
  label: string
  rows: readonly ConnectionRow[]
  mayEdit: boolean
  onEnable: (name: string, enabled: boolean) => void
  onDisconnect: (name: string) => Promise<unknown>
  disconnectText: (row: ConnectionRow) => ReactNode
}) => {
  const [leaving, setLeaving] = useState<ConnectionRow | undefined>()
  const [open, setOpen] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | undefined>()
  const confirm = async (row: ConnectionRow): Promise<void> => {
    setBusy(true)
    try {
      await onDisconnect(row.name)
      setOpen(false)
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : 'unknown error')
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line bg-surface shadow-card">
        {rows.map((row) => (
          <ConnectionLine
            key={row.name}
            row={row}
            mayEdit={mayEdit}
            onEnable={(enabled) => onEnable(row.name, enabled)}
            onDisconnect={() => {
              setError(undefined)
              setLeaving(row)
              setOpen(true)
            }}
          />
        ))}
      </ul>
      {leaving !== undefined && (
        <ConfirmDialog
          open={open}
          onOpenChange={setOpen}
          kind="danger"
          title="Disconnect"
          confirmLabel="Disconnect"
          loading={busy}
          error={error}
          onConfirm={() => void confirm(leaving)}
        >
          {disconnectText(leaving)}
        </ConfirmDialog>
      )}
    </>
  )
}
