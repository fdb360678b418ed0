import { useSearchParams } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { EntryFrame } from '../../ui/entry-frame.tsx'
import { useDocumentTitle } from '../../ui/page-header.tsx'

/** Where a third party sends people back to after they gave or refused their permission. */
export const OauthReturnPage = ({ area }: { area: 'sources' | 'destinations' }) => {
  useDocumentTitle('Connection')
  const [search] = useSearchParams()
  const refused = search.get('error_description') ?? search.get('error')
  return (
    <EntryFrame
      title={refused === null ? 'No connection is waiting for this permission' : 'The permission was not given'}
      description={
        refused === null
          ? 'It was not asked for in this browser, or has been used already. Nothing was changed.'
          : `The other side answered: ${refused.slice(0, 300)}. Nothing was changed.`
      }
    >
      <ButtonLink to={paths.shortcut(area)} variant="primary">
        {area === 'sources' ? 'Back to sources' : 'Back to destinations'}
      </ButtonLink>
    </EntryFrame>
  )
}

/** Where permissions for sources come back. */
export const AppOauthReturnPage = () => <OauthReturnPage area="sources" />

/** Where permissions for destinations come back. */
export const DestinationOauthReturnPage = () => <OauthReturnPage area="destinations" />
