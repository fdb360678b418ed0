import { appLifecycle } from './app-lifecycle.ts'
import { accountEvents, personTraits } from './people.ts'
import type { Template, TemplateObject } from './template.ts'

const level: TemplateObject = {
  level: ['number', 'required', 'Number of the level.'],
  level_name: ['string', 'recommended', 'Name of the level.'],
  mode: ['string', 'optional', 'Mode of the game.'],
  difficulty: ['string', 'optional', 'Difficulty.'],
  attempt: ['number', 'optional', 'Which try it is, from 1.'],
}

const played: TemplateObject = {
  duration: ['number', 'recommended', 'Seconds of play.'],
  score: ['number', 'recommended', 'Points.'],
}

const currency: TemplateObject = {
  currency_name: ['string', 'required', 'Virtual currency, such as gems.'],
  amount: ['number', 'required', 'How much.'],
  balance: ['number', 'recommended', 'What the player has now.'],
}

const advertisement: TemplateObject = {
  placement: ['string', 'required', 'Where in the game.'],
  ad_format: ['string', 'required', 'rewarded, interstitial or banner.'],
  network: ['string', 'recommended', 'Network that it came from.'],
}

export const gaming: Template = {
  slug: 'gaming',
  title: 'Gaming',
  description: 'Sessions, tutorial, levels, virtual currency, purchases, advertisements and friends.',
  user: {
    ...personTraits,
    email: ['string', 'recommended', 'Address of the player.'],
    player_name: ['string', 'recommended', 'Name in the game.'],
    level: ['number', 'recommended', 'Level that was reached.'],
    total_spent: ['number', 'optional', 'Sum of all purchases.'],
    guild: ['string', 'optional', 'Team or clan.'],
  },
  events: {
    ...accountEvents,
    ...appLifecycle,
    'Tutorial Started': { tutorial: ['string', 'optional', 'Which tutorial.'] },
    'Tutorial Step Completed': {
      step: ['number', 'required', 'Number of the step, from 1.'],
      step_name: ['string', 'recommended', 'Name of the step.'],
    },
    'Tutorial Completed': {
      skipped: ['boolean', 'recommended', 'Whether it was skipped.'],
      duration: ['number', 'optional', 'Seconds from start to end.'],
    },
    'Game Session Started': { mode: ['string', 'recommended', 'Mode of the game.'] },
    'Game Session Ended': {
      mode: ['string', 'recommended', 'Mode of the game.'],
      ...played,
      duration: ['number', 'required', 'Seconds of play.'],
    },
    'Level Started': level,
    'Level Completed': { ...level, ...played, stars: ['number', 'optional', 'Stars that it earned.'] },
    'Level Failed': { ...level, ...played, reason: ['string', 'recommended', 'What ended it.'] },
    'Level Up': {
      level: ['number', 'required', 'Level of the character now.'],
      character: ['string', 'optional', 'Which character.'],
    },
    'Achievement Unlocked': {
      achievement_id: ['string', 'required', 'Id of the achievement.'],
      name: ['string', 'recommended', 'Name of the achievement.'],
    },
    'Virtual Currency Earned': { ...currency, source: ['string', 'recommended', 'What it was earned by.'] },
    'Virtual Currency Spent': {
      ...currency,
      item_id: ['string', 'required', 'What it was spent on.'],
      item_name: ['string', 'recommended', 'Name of the item.'],
    },
    'Store Viewed': { placement: ['string', 'recommended', 'Where in the game.'] },
    'In-App Purchase Completed': {
      transaction_id: ['string', 'required', "The store's id of the purchase."],
      product_id: ['string', 'required', 'Id in the store.'],
      name: ['string', 'recommended', 'Name as shown.'],
      price: ['number', 'required', 'Price.'],
      currency: ['string', 'required', 'Currency of the price, ISO 4217.'],
      quantity: ['number', 'optional', 'How many.'],
      store: ['string', 'recommended', 'app_store, play_store or web.'],
      first_purchase: ['boolean', 'optional', 'Whether it is the first of the player.'],
    },
    'Ad Offered': advertisement,
    'Ad Watched': {
      ...advertisement,
      completed: ['boolean', 'required', 'Whether it was watched to its end.'],
      revenue: ['number', 'optional', 'What it earned.'],
    },
    'Ad Clicked': advertisement,
    'Reward Claimed': {
      reward: ['string', 'required', 'What was claimed.'],
      source: ['string', 'recommended', 'daily, advertisement, event …'],
      amount: ['number', 'optional', 'How much.'],
    },
    'Friend Invited': {
      method: ['string', 'required', 'How: link, contact, message …'],
    },
    'Match Started': {
      match_id: ['string', 'required', 'Id of the match.'],
      mode: ['string', 'recommended', 'Mode of the game.'],
      players: [
        'array',
        'optional',
        'Who plays.',
        {
          player_id: ['string', 'required', 'Id of the player.'],
          rank: ['number', 'optional', 'Rank of the player.'],
        },
      ],
    },
    'Match Ended': {
      match_id: ['string', 'required', 'Id of the match.'],
      mode: ['string', 'recommended', 'Mode of the game.'],
      result: ['string', 'required', 'won, lost, drawn or left.'],
      ...played,
    },
  },
}
