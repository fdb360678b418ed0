import type { DeliverContext, Settings } from './definition.ts'

/** A list of people at a platform, such as a Custom Audience. */
export type PeopleList = {
  /** The ID that a setting or a sync names. Letters, digits, `-`, and `_` only. */
  id: string
  title: string
  /** What distinguishes the list from others with the same title, such as its size; may be ''. */
  note: string
}

/** The facts that a platform gives about a list, such as its matched people, in the order in which they are shown. */
export type PeopleListFact = { title: string; value: string }

/** A page of the lists of an account, and the cursor of the next page; '' on the last page. */
export type PeopleListPage = { lists: readonly PeopleList[]; next: string }

/** The lists of people to which a destination adds people. All functions reject with a DeliveryError. */
export type PeopleLists<S extends Settings = Settings> = {
  /** The setting that names the list for events. */
  setting: string
  /** What the platform calls such a list, in the singular, such as `Custom Audience`. */
  title: string
  /** Maximum characters of a list's title. */
  maxTitle: number
  /** Reads a page of the lists that can receive people; `cursor` is '' for the first page. Changes nothing. */
  read: (context: DeliverContext<S>, cursor: string) => Promise<PeopleListPage>
  /** Reads the facts about a list from the platform, by its ID. Changes nothing. */
  facts: (context: DeliverContext<S>, id: string) => Promise<readonly PeopleListFact[]>
  /** Creates an empty list, and returns it. */
  create: (context: DeliverContext<S>, title: string) => Promise<PeopleList>
}
