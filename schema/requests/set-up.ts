import { hourMs } from '../../shared/time/units.ts'
import { alertLanguage } from '../records/alert-target.ts'
import { companySettings } from '../records/company.ts'
import * as t from '../types.ts'
import { password } from './user.ts'

const { timeZone } = companySettings.properties
const microstopMs = t.described(t.integer(0, hourMs), 'Microstop threshold of machines without their own')

/** Body of `POST /set-up/check`. */
export const setUpToken = t.named(
  'SetUpToken',
  t.withExamples(t.object({ token: t.shortText }), { token: '7d2Wm0m3d1h6rQ0cV4n5tq1x' }),
)

/** Current settings of the company. */
export const setUpState = t.named(
  'SetUpState',
  t.object({ companyName: t.name, timeZone, startOfDay: t.localTime, microstopMs }),
)
export type SetUpState = t.Infer<typeof setUpState>

/** Body of `POST /set-up`: settings of the company, and its first user, who manages keys and users. */
export const setUpInput = t.named(
  'SetUpInput',
  t.withExamples(
    t.object(
      {
        token: t.shortText,
        companyName: t.name,
        timeZone,
        startOfDay: t.localTime,
        microstopMs,
        email: t.email,
        displayName: t.name,
        password,
        language: alertLanguage,
      },
      ['microstopMs', 'language'],
    ),
    {
      token: '7d2Wm0m3d1h6rQ0cV4n5tq1x',
      companyName: 'Smith Turning',
      timeZone: 'America/Chicago',
      startOfDay: '06:00',
      microstopMs: 120_000,
      email: 'chris@plant.example',
      displayName: 'Chris Smith',
      password: 'correct horse battery',
    },
  ),
)
export type SetUpInput = t.Infer<typeof setUpInput>
