import { hourMs } from '../../shared/time/units.ts'
import { alertLanguage } from '../records/alert-target.ts'
import { companySettings } from '../records/company.ts'
import {
  described,
  email,
  integer,
  localTime,
  name,
  named,
  object,
  type Infer,
  shortText,
  withExamples,
} from '../types.ts'
import { password } from './user.ts'

const { timeZone } = companySettings.properties
const microstopMs = described(integer(0, hourMs), 'Microstop threshold of machines without their own')

/** Body of `POST /set-up/check`. */
export const setUpToken = named(
  'SetUpToken',
  withExamples(object({ token: shortText }), { token: '7d2Wm0m3d1h6rQ0cV4n5tq1x' }),
)

/** Current settings of the company. */
export const setUpState = named(
  'SetUpState',
  object({ companyName: name, timeZone, startOfDay: localTime, microstopMs }),
)
export type SetUpState = Infer<typeof setUpState>

/** Body of `POST /set-up`: settings of the company, and its first user, who manages keys and users. */
export const setUpInput = named(
  'SetUpInput',
  withExamples(
    object(
      {
        token: shortText,
        companyName: name,
        timeZone,
        startOfDay: localTime,
        microstopMs,
        email,
        displayName: name,
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
export type SetUpInput = Infer<typeof setUpInput>
