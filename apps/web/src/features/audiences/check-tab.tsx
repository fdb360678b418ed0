import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type Audience, type AudienceExplanation, conditionText, queriesOf } from '@tributary/contract'
import { Check, UserRoundSearch, X } from 'lucide-react'
import { ProfileCell } from '../../components/profile-cell.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useAddress } from '../../lib/browser/use-address.ts'
import { useTyped } from '../../lib/browser/use-typed.ts'
import { count } from '../../lib/format/text.ts'
import { audienceExplanationQuery } from '../../lib/queries/audience-queries.ts'
import { profilesQuery } from '../../lib/queries/profile-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SearchInput } from '../../ui/forms/input.tsx'
import { EmptyState } from '../../ui/page/empty-state.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useAudienceTitles } from './builder/estimate-panel.tsx'
import { reasonOf } from './explanation-words.ts'

const Conditions = ({ audience, explanation }: { audience: Audience; explanation: AudienceExplanation }) => {
  const titleOf = useAudienceTitles()
  const queries = queriesOf(audience.query)
  return (
    <ul aria-label="Conditions" className="space-y-2">
      {explanation.conditions.map(({ id, met }, index) => {
        const query = queries[index]
        return (
          // The order of the conditions never changes, so the index is a stable key.
          <li key={`${index} ${id}`} className="flex items-start gap-2 text-sm">
            {met ? (
              <Check aria-label="True" className="mt-0.5 size-4 shrink-0 text-success-ink" />
            ) : (
              <X aria-label="Not true" className="mt-0.5 size-4 shrink-0 text-danger-ink" />
            )}
            <span className="min-w-0 break-words">{query === undefined ? id : conditionText(query, titleOf)}</span>
          </li>
        )
      })}
    </ul>
  )
}

const Explanation = ({ audience, profile }: { audience: Audience; profile: string }) => {
  const query = useQuery(audienceExplanationQuery(audience.name, profile))
  return (
    <QueryView query={query} skeleton={<CardSkeleton lines={4} />} errorTitle="Failed to check the profile">
      {(explanation) => (
        <Card>
          <div className="space-y-4">
            <div className="flex flex-wrap items-center justify-between gap-3">
              <ProfileCell profile={explanation.profile} />
              <Badge tone={explanation.enter_time === null ? 'neutral' : 'success'}>
                {explanation.enter_time === null ? 'Not in the audience' : 'In the audience'}
              </Badge>
            </div>
            <p className="text-sm text-ink-2">
              {reasonOf(explanation)} As of <RelativeTime time={explanation.as_of} />
              {explanation.enter_time !== null && (
                <>
                  , in since <RelativeTime time={explanation.enter_time} />
                </>
              )}
              .
            </p>
            <Conditions audience={audience} explanation={explanation} />
          </div>
        </Card>
      )}
    </QueryView>
  )
}

/** Maximum number of profiles that a search lists. */
const shownProfiles = 5

const Found = ({ search, onChoose }: { search: string; onChoose: (profile: string) => void }) => {
  // Leaving the field narrows the list: the pressed button must still exist on release.
  const query = useInfiniteQuery({
    ...profilesQuery(useWorkspace().name, search),
    placeholderData: keepPreviousData,
  })
  return (
    <QueryView query={query} skeleton={<CardSkeleton lines={2} />} errorTitle="Failed to load the profiles">
      {({ pages }) => {
        const found = pages.flatMap(({ profiles }) => profiles)
        if (found.length === 0)
          return (
            <EmptyState icon={<UserRoundSearch />} title="No profile has this value">
              Search for a whole identifier, email address, or value of a trait, with the same letter case.
            </EmptyState>
          )
        return (
          <Card>
            <ul aria-label="Profiles" className="-my-2 divide-y divide-line">
              {found.slice(0, shownProfiles).map((profile) => (
                <li key={profile.name} className="flex items-center justify-between gap-3 py-1">
                  <ProfileCell profile={profile} />
                  <Button size="sm" aria-label={`Check ${profile.title}`} onClick={() => onChoose(profile.name)}>
                    Check
                  </Button>
                </li>
              ))}
            </ul>
            {found.length > shownProfiles && (
              <p className="mt-3 text-xs text-ink-3">
                {count(shownProfiles)} profiles are shown. Search to find others.
              </p>
            )}
          </Card>
        )
      }}
    </QueryView>
  )
}

const names = ['profile', 'search'] as const

/** Why a profile is in an audience or not: which conditions are true for it. */
export const CheckTab = ({ audience }: { audience: Audience }) => {
  const workspace = useWorkspace().name
  const [{ profile, search }, change] = useAddress(names)
  const typed = useTyped(search, (text) => change({ search: text, profile: '' }))
  return (
    <div className="max-w-3xl space-y-5">
      <SearchInput label="Search identifier or trait" maxLength={500} {...typed} className="sm:w-80" />
      {profile === '' ? (
        <Found search={search} onChoose={(name) => change({ profile: name.split('/').at(-1) ?? '' })} />
      ) : (
        <Explanation audience={audience} profile={`${workspace}/profiles/${profile}`} />
      )}
    </div>
  )
}
