import { paths } from '../../lib/paths.ts'
import { ErrorScreen } from '../../parts/error-screen.tsx'
import { ButtonLink } from '../../ui/button.tsx'

/** In place of what a database was asked for: why there is none, with a retry and the way to the settings of the connection. */
export const AskedError = ({
  dataSource,
  error,
  onRetry,
  title,
}: {
  /** A resource name. */
  dataSource: string
  error: unknown
  onRetry: () => void
  title: string
}) => (
  <ErrorScreen
    error={error}
    onRetry={onRetry}
    title={title}
    onUnreachable={<ButtonLink to={paths.dataSource(dataSource, 'settings')}>Connection settings</ButtonLink>}
  />
)
