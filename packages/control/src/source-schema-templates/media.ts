import { accountEvents, personTraits } from './people.ts'
import type { Template, TemplateObject } from './template.ts'

const article: TemplateObject = {
  article_id: ['string', 'required', 'Id of the article.'],
  title: ['string', 'recommended', 'Headline.'],
  section: ['string', 'recommended', 'Section, such as politics.'],
  author: ['string', 'optional', 'Who wrote it.'],
  published_at: ['string', 'optional', 'When it was published, ISO 8601.'],
  word_count: ['number', 'optional', 'Length in words.'],
  tags: ['array', 'optional', 'What it is about.'],
  is_premium: ['boolean', 'recommended', 'Whether it is for subscribers only.'],
}

const playback: TemplateObject = {
  session_id: ['string', 'required', 'Id of this playback, the same in all its events.'],
  content_asset_ids: ['array', 'recommended', 'Ids of the contents that are played.'],
  position: ['number', 'recommended', 'Place of the playhead, in seconds.'],
  total_length: ['number', 'optional', 'Length, in seconds.'],
  video_player: ['string', 'optional', 'Which player.'],
  quality: ['string', 'optional', 'Quality, such as 1080p.'],
  full_screen: ['boolean', 'optional', 'Whether it fills the screen.'],
  sound: ['number', 'optional', 'Loudness, from 0 to 100.'],
  livestream: ['boolean', 'optional', 'Whether it is live.'],
}

const content: TemplateObject = {
  session_id: ['string', 'required', 'Id of the playback.'],
  asset_id: ['string', 'required', 'Id of the content.'],
  title: ['string', 'recommended', 'Title.'],
  program: ['string', 'optional', 'Programme that it belongs to.'],
  season: ['string', 'optional', 'Season.'],
  episode: ['string', 'optional', 'Episode.'],
  genre: ['string', 'optional', 'Genre.'],
  publisher: ['string', 'optional', 'Who published it.'],
  channel: ['string', 'optional', 'Channel.'],
  position: ['number', 'recommended', 'Place of the playhead, in seconds.'],
  total_length: ['number', 'recommended', 'Length, in seconds.'],
  livestream: ['boolean', 'optional', 'Whether it is live.'],
}

const advertisement: TemplateObject = {
  session_id: ['string', 'required', 'Id of the playback.'],
  asset_id: ['string', 'required', 'Id of the advertisement.'],
  pod_id: ['string', 'optional', 'Id of the break.'],
  pod_position: ['number', 'optional', 'Place in the break, from 1.'],
  type: ['string', 'recommended', 'pre-roll, mid-roll or post-roll.'],
  title: ['string', 'optional', 'Title.'],
  publisher: ['string', 'optional', 'Whose advertisement.'],
  position: ['number', 'optional', 'Place of the playhead, in seconds.'],
  total_length: ['number', 'optional', 'Length, in seconds.'],
}

const subscription: TemplateObject = {
  plan: ['string', 'required', 'Plan, such as digital.'],
  billing_period: ['string', 'recommended', 'month or year.'],
  price: ['number', 'recommended', 'Price of a period.'],
  currency: ['string', 'recommended', 'Currency of the price, ISO 4217.'],
}

export const media: Template = {
  slug: 'media',
  title: 'Media & publishing',
  description: 'Articles, video and advertisements, newsletters, paywall and subscriptions.',
  user: {
    ...personTraits,
    subscription_status: ['string', 'recommended', 'none, trial, active or cancelled.'],
    plan: ['string', 'optional', 'Plan of the subscription.'],
    interests: ['array', 'optional', 'Sections that the person follows.'],
  },
  events: {
    ...accountEvents,
    'Article Viewed': { ...article, referrer: ['string', 'optional', 'Where the reader came from.'] },
    'Article Completed': {
      ...article,
      read_time: ['number', 'recommended', 'Seconds spent on it.'],
    },
    'Content Searched': {
      query: ['string', 'required', 'What was searched for.'],
      result_count: ['number', 'optional', 'How many were found.'],
    },
    'Content Shared': {
      content_id: ['string', 'required', 'Id of the article or video.'],
      share_via: ['string', 'recommended', 'Channel, such as email or whatsapp.'],
    },
    'Content Saved': { content_id: ['string', 'required', 'Id of the article or video.'] },
    'Comment Posted': {
      content_id: ['string', 'required', 'Id of the article or video.'],
      comment_id: ['string', 'recommended', 'Id of the comment.'],
      parent_comment_id: ['string', 'optional', 'Comment that it answers.'],
    },
    'Video Playback Started': playback,
    'Video Playback Paused': playback,
    'Video Playback Resumed': playback,
    'Video Playback Interrupted': {
      ...playback,
      method: ['string', 'optional', 'What interrupted it, such as a call.'],
    },
    'Video Playback Buffer Started': playback,
    'Video Playback Buffer Completed': playback,
    'Video Playback Seek Started': {
      ...playback,
      seek_position: ['number', 'recommended', 'Where it goes to, in seconds.'],
    },
    'Video Playback Seek Completed': playback,
    'Video Playback Completed': playback,
    'Video Content Started': content,
    'Video Content Playing': content,
    'Video Content Completed': content,
    'Video Ad Started': advertisement,
    'Video Ad Playing': advertisement,
    'Video Ad Completed': advertisement,
    'Newsletter Subscribed': {
      newsletter: ['string', 'required', 'Which newsletter.'],
      placement: ['string', 'optional', 'Where the form stood.'],
    },
    'Newsletter Unsubscribed': {
      newsletter: ['string', 'required', 'Which newsletter.'],
      reason: ['string', 'optional', 'Why, as told.'],
    },
    'Paywall Viewed': {
      content_id: ['string', 'recommended', 'Id of the article or video behind it.'],
      variant: ['string', 'optional', 'Which paywall.'],
    },
    'Subscription Started': { ...subscription, trial: ['boolean', 'optional', 'Whether it begins with a trial.'] },
    'Subscription Renewed': subscription,
    'Subscription Cancelled': { ...subscription, reason: ['string', 'recommended', 'Why, as told.'] },
  },
}
