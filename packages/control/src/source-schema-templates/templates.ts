import { b2bSaas } from './b2b-saas.ts'
import { blank } from './blank.ts'
import { eCommerce } from './e-commerce.ts'
import { finance } from './finance.ts'
import { gaming } from './gaming.ts'
import { marketplace } from './marketplace.ts'
import { media } from './media.ts'
import { mobileApp } from './mobile-app.ts'
import type { Template } from './template.ts'
import { travel } from './travel.ts'

/** What a new source's schema can start with, in the order shown; the first begins from scratch. */
export const templates: readonly Template[] = [
  blank,
  eCommerce,
  b2bSaas,
  media,
  marketplace,
  travel,
  finance,
  mobileApp,
  gaming,
]
